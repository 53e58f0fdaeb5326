import { editAgent, getAgent, listAgents } from '@muster/contract/api/agents'
import { editTag, listTags, type Tag, tagAgents } from '@muster/contract/api/tags'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { answerMachines, givenDashboard, MACHINES, testDetail } from '../dashboard/test-dashboard.ts'

const testTag = (name: string, more: Partial<Tag> = {}): Tag => ({
  id: 1,
  name,
  color: 'gray',
  rule: '',
  agent_count: 1,
  client_count: 0,
  modified: '2026-11-21T10:00:00.000Z',
  ...more,
})

async function givenTags() {
  const { server, open } = await givenDashboard()
  server.on(listTags, () => answer(listTags, [testTag('kiosk'), testTag('pilot', { id: 2, color: 'blue' })]))
  const rows = MACHINES.map((row, index) => (index === 0 ? { ...row, tags: ['kiosk'] } : row))
  server.on(listAgents, (received) => answerMachines(received, rows))
  return { server, open }
}

test('checked machines get tags, and lose others', async () => {
  const { server, open } = await givenTags()
  server.on(tagAgents, () => answer(tagAgents, { changed: 2, skipped: 0 }))
  await open()
  await page.getByRole('checkbox', { name: 'Select alpha' }).click()
  await page.getByRole('checkbox', { name: 'Select bravo' }).click()
  const bar = page.getByRole('toolbar', { name: 'Selected machines' })
  await bar.getByRole('button', { name: 'Tags' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change tags of 2 machines' })
  await expect.element(dialog.getByRole('combobox', { name: 'Add' })).toHaveFocus()
  await userEvent.keyboard('pilot{Enter}a:b{Enter}')
  await expect.element(dialog.getByText(/Use letters, digits, spaces/)).toBeVisible()
  await dialog.getByRole('combobox', { name: 'Remove' }).fill('kiosk')
  await userEvent.keyboard('{Enter}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Changed the tags of 2 machines.')).toBeVisible()
  expect(server.calls(tagAgents).map(({ body }) => body)).toEqual([
    { agents: ['alpha0000000', 'bravo0000000'], add: ['pilot'], remove: ['kiosk'] },
  ])
})

test('the editor of a machine changes its own tags, and names those of its client', async () => {
  const { server, open } = await givenTags()
  const detail = testDetail({ tags: ['contract gold', 'kiosk'], own_tags: ['kiosk'] })
  server.on(getAgent, () => answer(getAgent, detail))
  server.on(editAgent, () => answer(editAgent, { ...detail, own_tags: ['kiosk', 'pilot'] }))
  await open('/?dialog=edit-agent&item=alpha0000000')
  const dialog = page.getByRole('dialog', { name: 'Edit alpha' })
  await expect.element(dialog.getByText('From its client or a rule: contract gold.')).toBeVisible()
  await dialog.getByRole('combobox', { name: 'Tags' }).fill('pilot')
  await userEvent.keyboard('{Enter}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => server.calls(editAgent).at(-1)?.body)
    .toEqual({
      own_tags: ['kiosk', 'pilot'],
      modified: 'm1',
    })
})

test('the rule of a tag is edited, and its refusal is shown', async () => {
  const { server, open } = await givenTags()
  const { at } = await open('/?dialog=tags')
  const list = page.getByRole('dialog', { name: 'Tags' })
  await list.getByRole('button', { name: 'Edit pilot' }).click()
  await expect.poll(at).toBe('/?dialog=tag&item=2')
  const dialog = page.getByRole('dialog', { name: 'Edit pilot' })
  server.on(editTag, () => refuse('invalid', 'There is no field foo.'))
  const suggestions = dialog.getByRole('listbox', { name: 'Suggestions' })
  await dialog.getByRole('textbox', { name: 'Rule' }).fill('is:off')
  await expect.element(suggestions).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(suggestions).not.toBeInTheDocument()
  await expect.element(dialog).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Rule' }).fill('foo:bar')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.element(dialog.getByText('There is no field foo.')).toBeVisible()
  server.on(editTag, ({ body }) => answer(editTag, { ...testTag('pilot', { id: 2 }), ...Object(body) }))
  await dialog.getByRole('textbox', { name: 'Rule' }).fill('os:debian')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Tag saved.')).toBeVisible()
  expect(server.calls(editTag).at(-1)?.body).toMatchObject({
    name: 'pilot',
    color: 'blue',
    rule: 'os:debian',
  })
})
