import '../../app/mantine-styles.ts'
import '../../app/global.css'
import { savePreferences } from '@muster/contract/api/users'
import { expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { openTab } from './test-tab.tsx'
import { cleanAddress } from './terminal-links.ts'
import { givenTerminal } from './test-terminal.ts'

const BASH = { shell: '/bin/bash', user: 'root' }

test('words are found in the whole scrollback, over wrapped lines and beside wide letters', async () => {
  const { machine, view, place } = await givenTerminal()
  machine.print(`first Needle\r\n${'filler\r\n'.repeat(3000)}漢字 needle 漢\r\n${'x'.repeat(75)}need`)
  machine.print('le over the edge\r\nTHE-END')
  await expect.poll(() => place.textContent).toContain('THE-END')
  const hits = view.find('NEEDLE')
  expect(hits).toHaveLength(3)
  for (const hit of hits) {
    view.show(hit)
    expect(view.copy().replaceAll('\n', '').toLowerCase()).toBe('needle')
  }
  expect(view.find('not there')).toEqual([])
  expect(view.find('')).toEqual([])
  expect(view.find('l').length).toBeGreaterThan(3000)
})

test('the search opens by its shortcut, steps through matches, and returns the focus', async () => {
  const { screen, windows } = await openTab()
  windows[0]?.open(BASH)
  windows[0]?.print('one two one two one')
  await expect.element(screen.getByText('one two one two one')).toBeVisible()
  await userEvent.keyboard('{Control>}{Shift>}F{/Shift}{/Control}')
  const words = screen.getByRole('searchbox', { name: 'Search in this terminal' })
  await expect.element(words).toHaveFocus()
  await words.fill('one')
  await expect.element(screen.getByText('3 of 3')).toBeVisible()
  await userEvent.keyboard('{Enter}{Enter}{Enter}')
  await expect.element(screen.getByText('3 of 3')).toBeVisible()
  await userEvent.keyboard('{Shift>}{Enter}{/Shift}')
  await expect.element(screen.getByText('1 of 3')).toBeVisible()
  await words.fill('nowhere')
  await expect.element(screen.getByText('Not found')).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(words).not.toBeInTheDocument()
  await userEvent.keyboard('back')
  await expect.poll(() => windows[0]?.received).toBe('back')
})

test('text size and theme are kept for the user, and shown at once', async () => {
  const { screen, server, windows } = await openTab()
  windows[0]?.open(BASH)
  server.on(savePreferences, ({ body }) => answer(savePreferences, body as never))
  const choose = async (name: RegExp) => {
    await screen.getByRole('button', { name: 'Copy, appearance and keys' }).click()
    await screen.getByRole('menuitem', { name }).click()
  }
  const cellHeight = () => document.querySelector('.xterm-rows > div')?.getBoundingClientRect().height ?? 0
  const before = cellHeight()
  await choose(/^Larger text/)
  await expect.poll(cellHeight).toBeGreaterThan(before)
  await expect.poll(() => windows[0]?.sizes.length).toBeGreaterThan(0)
  await choose(/^Light/)
  await expect
    .poll(
      () =>
        getComputedStyle(document.querySelector('.xterm-scrollable-element') ?? document.body)
          .backgroundColor,
    )
    .toBe('rgb(255, 255, 255)')
  expect(server.calls(savePreferences).map(({ body }) => body)).toEqual([
    { terminal_font_size: 14 },
    { terminal_theme: 'light' },
  ])
})

test('the keys are listed, and the whole buffer is copied', async () => {
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  const { screen, windows } = await openTab()
  windows[0]?.open(BASH)
  windows[0]?.print(`top\r\n${'\r\n'.repeat(200)}bottom`)
  await expect.element(screen.getByText('bottom')).toBeVisible()
  const menu = screen.getByRole('button', { name: 'Copy, appearance and keys' })
  await menu.click()
  await screen.getByRole('menuitem', { name: 'Copy whole buffer' }).click()
  await expect.poll(() => write).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^top\n+bottom$/))
  await menu.click()
  await screen.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
  await expect.element(screen.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
})

test.each([
  ['https://example.org/a?b=c#d', 'https://example.org/a?b=c#d'],
  ['HTTP://Example.org', 'http://example.org/'],
  ['https://bank.example@evil.example/', 'https://bank.example@evil.example/'],
  ['https://bаnk.example/', 'https://xn--bnk-6cd.example/'],
  ['javascript:alert(1)', undefined],
  ['file:///etc/passwd', undefined],
  ['data:text/html,x', undefined],
  ['//example.org', undefined],
  ['https://', undefined],
  [`https://example.org/${'x'.repeat(3000)}`, undefined],
])('of %j is opened %j', (text, address) => {
  expect(cleanAddress(text)).toBe(address)
})

test('an address in the text is opened after a click and a yes, in a window that knows nothing of this one', async () => {
  const ask = vi.spyOn(window, 'confirm').mockReturnValue(true)
  const open = vi.spyOn(window, 'open').mockReturnValue(null)
  const { machine, place } = await givenTerminal()
  machine.print('see (https://example.org/a), or javascript:alert(1)\r\nTHE-END')
  await expect.poll(() => place.textContent).toContain('THE-END')
  expect(open).not.toHaveBeenCalled()
  const row = place.querySelector('.xterm-rows > div')
  const screen = place.querySelector('.xterm-screen')
  if (row === null || screen === null) throw new Error('the line is there')
  const { left, top } = row.getBoundingClientRect()
  const click = (x: number) => {
    const at = { clientX: left + x, clientY: top + 5, bubbles: true, button: 0 }
    for (const type of ['mousemove', 'mousedown', 'mouseup', 'click'])
      screen.dispatchEvent(new MouseEvent(type, at))
  }
  click(80)
  expect(ask).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining('example.org?\n\nhttps://example.org/a'),
  )
  expect(open).toHaveBeenCalledExactlyOnceWith('https://example.org/a', '_blank', 'noopener,noreferrer')
  click(320)
  expect(open).toHaveBeenCalledOnce()
})
