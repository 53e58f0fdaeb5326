import '../../app/mantine-styles.ts'
import '../../app/global.css'
import { expect, test } from 'vitest'
import { openTab } from './test-tab.tsx'

const BASH = { shell: '/bin/bash', user: 'root' }
const title = (text: string) => `\u001B]0;${text}\u0007`

test('each tab is its own session, named by its shell', async () => {
  const { screen, windows } = await openTab()
  windows[0]?.open(BASH)
  await expect.element(screen.getByRole('tab', { name: 'Shell 1' })).toBeVisible()
  await screen.getByRole('button', { name: 'New tab' }).click()
  await expect.poll(() => windows[1]?.asked).toMatchObject({ session: null })
  windows[1]?.open(BASH)
  windows[0]?.print(`${title('root@web-1: ~')}one`)
  windows[1]?.print(`${title(`\u202E${'x'.repeat(1000)}`)}two`)
  await expect.element(screen.getByRole('tab', { name: 'root@web-1: ~' })).toBeVisible()
  await expect.element(screen.getByRole('tab', { name: `${'x'.repeat(59)}…` })).toBeVisible()
  expect(document.title).not.toContain('x')
  // Hidden terminals keep running, with their own size.
  await screen.getByRole('tab', { name: 'root@web-1: ~' }).click()
  windows[1]?.print(`${title('two')}unseen`)
  await screen.getByRole('tab', { name: 'two' }).click()
  await expect.poll(() => shownText()).toContain('twounseen')
  expect(shownText()).not.toContain('one')
  expect(windows[1]?.sizes).toEqual([])
})

test('closing a tab ends its session and no other; the last one leaves a way to open one', async () => {
  const { screen, windows } = await openTab()
  windows[0]?.open(BASH)
  await screen.getByRole('button', { name: 'New tab' }).click()
  await expect.poll(() => windows[1]?.asked).toBeDefined()
  windows[1]?.open(BASH)
  await screen.getByRole('tab', { name: 'Shell 2' }).getByTitle('Close tab and end terminal').click()
  await expect.element(screen.getByRole('tab', { name: 'Shell 2' })).not.toBeInTheDocument()
  expect([windows[0]?.isEnded, windows[1]?.isEnded]).toEqual([false, true])
  const last = screen.getByRole('tab', { name: 'Shell 1' })
  await expect.element(last).toHaveAttribute('aria-selected', 'true')
  last.element().dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', bubbles: true }))
  await expect.element(screen.getByText('No open terminals.')).toBeVisible()
  expect(windows[0]?.isEnded).toBe(true)
  await screen.getByRole('button', { name: 'New terminal' }).click()
  await expect.poll(() => windows[2]?.asked).toMatchObject({ session: null })
})

test('after a reload each tab finds its own session again', async () => {
  const { screen, windows, reload } = await openTab()
  windows[0]?.open(BASH)
  await screen.getByRole('button', { name: 'New tab' }).click()
  await expect.poll(() => windows[1]?.asked).toBeDefined()
  windows[1]?.open(BASH)
  await expect.element(screen.getByRole('tab', { name: 'Shell 2' })).toBeVisible()
  const sessions = windows.map(({ session }) => session)
  await reload()
  await expect
    .poll(() => windows.slice(2).map(({ asked }) => asked))
    .toEqual(sessions.map((session) => expect.objectContaining({ session })))
  expect(windows.slice(0, 2).map(({ isEnded }) => isEnded)).toEqual([false, false])
})

/** Text of the visible terminal. */
function shownText(): string {
  const rows = [...document.querySelectorAll<HTMLElement>('.xterm-rows')]
  return rows.find((row) => row.checkVisibility({ visibilityProperty: true }))?.textContent ?? ''
}
