import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from '../../../../test/support/axe.ts';
import { layoutFaults } from '../../../../test/support/layout.ts';
import { ALL_SCOPES, client, type Fixture, startFixture } from '../fixture.ts';
import { createPageOpener, hasFocus, sidebar, timeline } from './page-fixture.ts';

const openPage = createPageOpener();

async function groupsOf(fixture: Fixture): Promise<unknown> {
  const { usergroups = [] } = await client(fixture.slack).usergroups.list({ include_users: true });
  return usergroups.map(({ handle, users }) => [handle, users]);
}

describe('user groups', () => {
  it.each([1280, 390])('are created and filled by keyboard and mouse at %i pixels', async (width) => {
    await using fixture = await startFixture({ scopes: ALL_SCOPES });
    await using page = await openPage(fixture, '', { viewport: { width, height: 800 } });
    await sidebar(page).getByRole('button', { name: 'User groups' }).press('Enter');
    const panel = page.getByRole('complementary', { name: 'User groups' });

    await panel.getByLabel('Handle').fill('oncall');
    await panel.getByLabel('Handle').press('Enter');
    const group = panel.getByRole('group', { name: '@oncall' });
    await group.getByLabel('Ana Duarte').press('Space');
    await group.getByLabel('Ana Duarte').and(page.locator(':checked')).waitFor();
    await expect.poll(() => hasFocus(group.getByLabel('Ana Duarte'))).toBe(true);
    await group.getByLabel('Ben Okafor').click();
    await group.getByLabel('Ben Okafor').and(page.locator(':checked')).waitFor();
    await group.getByLabel('Ana Duarte').click();
    await group.getByLabel('Ana Duarte').and(page.locator(':not(:checked)')).waitFor();

    expect(await groupsOf(fixture)).toEqual([['oncall', ['U0BEN00001']]]);
    expect([...(await accessibilityFaults(page)), ...(await layoutFaults(panel))]).toEqual([]);
  });

  it('say why a handle is refused, and are mentioned by their handle', async () => {
    await using fixture = await startFixture({ scopes: ALL_SCOPES });
    const { slack } = fixture;
    const id = slack.as('ana').setUserGroup('oncall', ['ana']);
    await using page = await openPage(fixture);
    await sidebar(page).getByRole('button', { name: 'User groups' }).click();
    const panel = page.getByRole('complementary', { name: 'User groups' });

    await panel.getByLabel('Handle').fill('ben');
    await panel.getByRole('button', { name: 'Create' }).click();
    await panel.getByRole('alert').getByText('a person or channel is named ben already').waitFor();
    await slack.as('ben').message('playground', 'asking @oncall');

    await timeline(page).getByText('@oncall').waitFor();
    expect(slack.messages('playground').at(-1)?.text).toBe(`asking <!subteam^${id}>`);
  });
});
