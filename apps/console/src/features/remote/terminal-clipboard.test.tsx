import '../../app/global.css'
import { expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { givenTerminal } from './test-terminal.ts'

const ESC = '\u001b'

function paste(field: HTMLElement, text: string) {
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', text)
  field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
}

test('typed keys go to the machine, including control and arrow keys', async () => {
  const { machine } = await givenTerminal()
  await userEvent.keyboard('ls -l{Enter}')
  await userEvent.keyboard('{Control>}c{/Control}{Control>}d{/Control}{ArrowUp}{Tab}{F5}')
  await expect.poll(() => machine.received).toBe(`ls -l\r\u0003\u0004${ESC}[A\t${ESC}[15~`)
})

test('Ctrl+C copies the selection, and goes to the machine without one', async () => {
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  const { machine, place, view } = await givenTerminal()
  machine.print('copy me')
  await expect.poll(() => place.textContent).toContain('copy me')
  view.selectAll()
  await userEvent.keyboard('{Control>}c{/Control}')
  expect(write).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('copy me'))
  expect(machine.received).toBe('')
  await userEvent.keyboard('{Control>}c{/Control}')
  await expect.poll(() => machine.received).toBe('\u0003')
})

test('Ctrl+V is left to the browser', async () => {
  const { machine, field } = await givenTerminal()
  const event = new KeyboardEvent('keydown', { key: 'v', ctrlKey: true, bubbles: true, cancelable: true })
  field.dispatchEvent(event)
  expect(event.defaultPrevented).toBe(false)
  expect(machine.received).toBe('')
})

test('lines are pasted as they are, in brackets where the shell asks for them', async () => {
  const { machine, place, field } = await givenTerminal()
  paste(field, 'one\r\ntwo\tthree\n')
  await expect.poll(() => machine.received).toBe('one\rtwo\tthree\r')
  machine.print(`${ESC}[?2004hbrackets`)
  await expect.poll(() => place.textContent).toContain('brackets')
  paste(field, 'four\n')
  await expect.poll(() => machine.received).toBe(`one\rtwo\tthree\r${ESC}[200~four\r${ESC}[201~`)
})

test('a hostile clipboard cannot leave the brackets and run commands', async () => {
  const { machine, place, field } = await givenTerminal()
  machine.print(`${ESC}[?2004hbrackets`)
  await expect.poll(() => place.textContent).toContain('brackets')
  paste(field, `harmless${ESC}[201~\u009b201~\u0003rm -rf /\n`)
  await expect.poll(() => machine.received).toBe(`${ESC}[200~harmless[201~201~rm -rf /\r${ESC}[201~`)
})

test('a clipboard without a text, such as a picture, is pasted as nothing and holds no key up', async () => {
  const { machine, field } = await givenTerminal()
  paste(field, '')
  await userEvent.keyboard('ls')
  await expect.poll(() => machine.received).toBe('ls')
})
