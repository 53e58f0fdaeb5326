import { readFileSync, writeFileSync } from 'node:fs'
import { DesktopInput } from '../src/os/windows/desktop/desktop-input.ts'
import { loadJpeg } from '../src/os/windows/desktop/gdiplus-jpeg.ts'
import { GdiScreen } from '../src/os/windows/desktop/gdi-screen.ts'
import { bindDesktop } from '../src/os/windows/desktop/bind-desktop.ts'
import { InputDesktop } from '../src/os/windows/desktop/input-desktop.ts'
import { loadUser32 } from '../src/os/windows/desktop/user32.ts'
import { findSignedInUser, startInOtherSession } from '../src/os/windows/session-process.ts'
import type { Handle } from '../src/os/windows/win32.ts'

/**
 * `press`: keysyms, pressed in the window with that title, if it is there. `encode`: the screen as JPEG. `start`: a
 * script in the session, as both accounts. `switchTo`: makes another desktop the one that receives input, and answers
 * its name.
 */
export type DesktopStep =
  | { press: number[]; window: string }
  | { encode: 'jpeg' }
  | { start: string; account: 'user' | 'system'; args: string[] }
  | { find: 'user' }
  | { switchTo: string }

/** DESKTOP_SWITCHDESKTOP */
const SWITCH_DESKTOP = 0x01_00

const [, , input = '', output = ''] = process.argv
const steps = JSON.parse(readFileSync(input, 'utf8')) as DesktopStep[]
const answers: unknown[] = []
for (const step of steps) answers.push((await take(step)) ?? null)
writeFileSync(output, JSON.stringify(answers))

async function take(step: DesktopStep): Promise<unknown> {
  if ('find' in step) return findSignedInUser()
  if ('start' in step) {
    const { start, account, args } = step
    const program = [process.execPath, '-e', start, ...args]
    const { exited } = await startInOtherSession(program, {
      marker: account,
      account,
      env: { GREETING: 'hello 雪' },
    })
    return exited
  }
  if ('switchTo' in step) return switchDesktop(step.switchTo)
  const user32 = await loadUser32()
  const desktop = new InputDesktop(user32)
  const screen = await GdiScreen.open({ user32, desktop, monitor: undefined })
  if ('press' in step) {
    if (!(await bringToFront(step.window))) return undefined
    const keyboard = new DesktopInput(user32, { area: () => screen.area, sendAttention: () => {} })
    for (const keysym of step.press) keyboard.press(keysym)
    keyboard.releaseAll()
    return undefined
  }
  const encode = await loadJpeg()
  const { width, height } = screen.readSize()
  return encode(screen.capture(), { x: 0, y: 0, width, height }, 75).toString('base64')
}

async function switchDesktop(name: string): Promise<string> {
  const { open, show } = await bindDesktop<{
    open: (name: string, flags: 0, inherit: 0, access: number) => Handle
    show: (desktop: Handle) => number
  }>('user32.dll', {
    open: 'uintptr_t __stdcall OpenDesktopW(str16, uint32_t, int, uint32_t)',
    show: 'int __stdcall SwitchDesktop(uintptr_t)',
  })
  if (show(open(name, 0, 0, SWITCH_DESKTOP)) === 0) throw new Error(`Windows did not switch to ${name}`)
  using desktop = new InputDesktop(await loadUser32())
  return desktop.follow()
}

async function bringToFront(title: string): Promise<boolean> {
  const { find, show } = await bindDesktop<{
    find: (type: null, title: string) => Handle
    show: (window: Handle) => number
  }>('user32.dll', {
    find: 'uintptr_t __stdcall FindWindowW(void *, str16)',
    show: 'int __stdcall SetForegroundWindow(uintptr_t)',
  })
  const window = find(null, title)
  return Number(window) !== 0 && show(window) !== 0
}
