import { expect, it } from 'vitest';
import { withStore } from '../../../test/support/bot-store.ts';

it('remembers what Slack last said about a person', () =>
  withStore(async ({ store: { people } }) => {
    const unknown = await people.find('U1');
    await people.save('U1', { name: 'ana', userId: 'slack:U1', standing: 'guest' });
    await people.save('U1', { name: 'ana@example.com', userId: 'email:ana@example.com', standing: 'member' });
    await people.save('U2', { name: 'ben', userId: 'slack:U2', standing: 'stranger' });

    expect(unknown).toBeNull();
    expect(await people.find('U1')).toEqual({
      name: 'ana@example.com',
      userId: 'email:ana@example.com',
      standing: 'member',
    });
    expect(await people.find('U2')).toEqual({ name: 'ben', userId: 'slack:U2', standing: 'stranger' });
  }));

it('forgets the people of another workspace', () =>
  withStore(async ({ store: { people, installation } }) => {
    await installation.enterWorkspace('T1');
    await people.save('U1', { name: 'ana', userId: 'slack:U1', standing: 'member' });

    await installation.enterWorkspace('T2');

    expect(await people.find('U1')).toBeNull();
  }));
