import '../../app/global.css'
import { expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { openTab } from './test-tab.tsx'

const ESC = '\u001b'

/** A terminal on a phone, open at its shell. */
async function openOnPhone() {
  const real = window.matchMedia.bind(window)
  const spy = vi
    .spyOn(window, 'matchMedia')
    // Only what the key bar asks; the rest is this browser's own.
    .mockImplementation((query) => real(query === '(pointer: coarse)' ? 'all' : query))
  onTestFinished(() => spy.mockRestore())
  const tab = await openTab()
  const machine = tab.windows[0]
  if (machine === undefined) throw new Error('no terminal was opened')
  machine.open({ shell: '/bin/bash', user: 'root' })
  const bar = page.getByRole('toolbar', { name: 'Terminal keys' })
  await expect.element(bar).toBeVisible()
  document.querySelector<HTMLElement>('.xterm-helper-textarea')?.focus()
  const key = (name: string) => bar.getByRole('button', { name, exact: true })
  return { machine, bar, key }
}

test('the bar sends the keys that a phone lacks, and the focus stays in the terminal', async () => {
  const { machine, key } = await openOnPhone()
  const field = document.activeElement
  for (const name of [
    'Esc, escape',
    'Tab',
    'Left',
    'Down',
    'Up',
    'Right',
    'Pipe',
    'Slash',
    'Hyphen',
    'Tilde',
  ])
    await key(name).click()
  for (const name of ['PgUp, page up', 'PgDn, page down']) await key(name).click()
  await expect
    .poll(() => machine.received)
    .toBe(`${ESC}\t${ESC}[D${ESC}[B${ESC}[A${ESC}[C|/-~${ESC}[5~${ESC}[6~`)
  expect(field?.tagName).toBe('TEXTAREA')
  expect(document.activeElement).toBe(field)
})

test('Ctrl and Alt apply to the next key, of the keyboard or the bar, and can be taken back', async () => {
  const { machine, key } = await openOnPhone()
  await key('Ctrl').click()
  await expect.element(key('Ctrl')).toHaveAttribute('aria-pressed', 'true')
  await userEvent.keyboard('c')
  await expect.element(key('Ctrl')).toHaveAttribute('aria-pressed', 'false')
  await userEvent.keyboard('c')
  await expect.poll(() => machine.received).toBe('\u0003c')
  await key('Alt').click()
  await key('Hyphen').click()
  await key('Ctrl').click()
  await key('Right').click()
  await key('Ctrl').click()
  await key('Ctrl').click()
  await userEvent.keyboard('x')
  await expect.poll(() => machine.received).toBe(`\u0003c${ESC}-${ESC}[1;5Cx`)
})

test('arrows follow the mode of the program', async () => {
  const { machine, key } = await openOnPhone()
  machine.print(`${ESC}[?1hready`)
  await expect.element(page.getByText('ready')).toBeInTheDocument()
  await key('Up').click()
  await expect.poll(() => machine.received).toBe(`${ESC}OA`)
})

test('Paste inserts the clipboard without control characters, and says when it may not', async () => {
  const read = vi.spyOn(navigator.clipboard, 'readText').mockResolvedValue(`ls${ESC}[201~\u0003`)
  onTestFinished(() => read.mockRestore())
  const { machine, key } = await openOnPhone()
  await key('Paste').click()
  await expect.poll(() => machine.received).toBe('ls[201~')
  read.mockRejectedValue(new DOMException('denied', 'NotAllowedError'))
  await key('Paste').click()
  await expect.poll(() => read.mock.calls.length).toBe(2)
  expect(machine.received).toBe('ls[201~')
})

test('the targets are 44 px, in two rows at 390 px', async () => {
  await page.viewport(390, 844)
  onTestFinished(() => page.viewport(1280, 720))
  const { bar } = await openOnPhone()
  const boxes = bar
    .getByRole('button')
    .elements()
    .map((button) => button.getBoundingClientRect())
  expect(boxes).toHaveLength(15)
  for (const { width, height } of boxes) {
    expect(width).toBeGreaterThanOrEqual(44)
    expect(height).toBeGreaterThanOrEqual(44)
  }
  expect(new Set(boxes.map(({ top }) => Math.round(top))).size).toBe(2)
})

test('with a mouse there is no bar', async () => {
  const { windows, screen } = await openTab()
  windows[0]?.open({ shell: '/bin/bash', user: 'root' })
  await expect.element(screen.getByText(/^In \/bin\/bash as root/)).toBeVisible()
  expect(page.getByRole('toolbar', { name: 'Terminal keys' }).elements()).toHaveLength(0)
})
