import { type Snippet, createSnippet, deleteSnippet, listSnippets } from '@muster/contract/api/snippets'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer } from '../../../testing/test-server.ts'
import { givenDashboard } from '../../dashboard/test-dashboard.ts'

const LOG: Snippet = { id: 1, name: 'log', desc: 'writes', code: 'echo', shell: 'shell', modified: 'm1' }
const dialog = () => page.getByRole('dialog')

async function givenSnippets(snippets: Snippet[]) {
  const { server, open } = await givenDashboard()
  server.on(listSnippets, () => answer(listSnippets, snippets))
  server.on(createSnippet, () => answer(createSnippet, LOG))
  server.on(deleteSnippet, () => answer(deleteSnippet, null))
  return { server, open }
}

test('a snippet is written in the editor and added', async () => {
  const { server, open } = await givenSnippets([])
  await open('/?dialog=snippets')
  await dialog().getByRole('button', { name: 'New snippet' }).click()
  await dialog().getByRole('textbox', { name: 'Name' }).fill('log')
  await dialog().getByRole('textbox', { name: 'Code' }).click()
  await userEvent.keyboard('echo hello')
  await dialog().getByRole('button', { name: 'Add snippet' }).click()
  await expect.element(page.getByText('Snippet added.')).toBeVisible()
  expect(server.calls(createSnippet)[0]?.body).toEqual({
    name: 'log',
    desc: '',
    shell: 'shell',
    code: 'echo hello',
  })
})

test('a snippet is deleted after a question', async () => {
  const { server, open } = await givenSnippets([LOG])
  await open('/?dialog=snippets')
  await dialog().getByRole('button', { name: 'Delete log' }).click()
  await page.getByRole('dialog', { name: 'Delete log?' }).getByRole('button', { name: 'Delete' }).click()
  await expect.element(page.getByText('Snippet deleted.')).toBeVisible()
  expect(server.calls(deleteSnippet)).toHaveLength(1)
})
