"""A bot on Slack's Python SDK: acknowledges a slash command with a text and posts a message."""

import sys
import threading

from slack_sdk import WebClient
from slack_sdk.socket_mode.builtin import SocketModeClient
from slack_sdk.socket_mode.response import SocketModeResponse

api_url, bot_token, app_token = sys.argv[1:]
web = WebClient(token=bot_token, base_url=api_url)


def handle(client, request):
    text = request.payload.get("text")
    reply = SocketModeResponse(envelope_id=request.envelope_id, payload={"text": f"acknowledged: {text}"})
    client.send_socket_mode_response(reply)
    web.chat_postMessage(channel=request.payload["channel_id"], text=f"posted: {text}")


client = SocketModeClient(app_token=app_token, web_client=WebClient(base_url=api_url))
client.socket_mode_request_listeners.append(handle)
client.connect()
threading.Event().wait()
