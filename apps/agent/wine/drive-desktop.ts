import { readFileSync, writeFileSync } from 'node:fs'
import { DesktopInput } from '../src/os/windows/desktop/desktop-input.ts'
import { loadJpeg } from '../src/os/windows/desktop/gdiplus-jpeg.ts'
import { GdiScreen } from '../src/os/windows/desktop/gdi-screen.ts'
import { InputDesktop } from '../src/os/windows/desktop/input-desktop.ts'
import { loadUser32 } from '../src/os/windows/desktop/user32.ts'
import { findSignedInUser, startInOtherSession } from '../src/os/windows/session-process.ts'

/** `press`: keysyms. `encode`: the screen as JPEG. `start`: a script in the session, as both accounts. */
export type DesktopStep =
  | { press: number[] }
  | { encode: 'jpeg' }
  | { start: string; account: 'user' | 'system'; args: string[] }
  | { find: 'user' }

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
  const user32 = await loadUser32()
  const desktop = new InputDesktop(user32)
  const screen = await GdiScreen.open({ user32, desktop, monitor: undefined })
  if ('press' in step) {
    const keyboard = new DesktopInput(user32, { area: () => screen.area, sendAttention: () => {} })
    for (const keysym of step.press) keyboard.press(keysym)
    keyboard.releaseAll()
    return undefined
  }
  const encode = await loadJpeg()
  const { width, height } = screen.readSize()
  return encode(screen.capture(), { x: 0, y: 0, width, height }, 75).toString('base64')
}
