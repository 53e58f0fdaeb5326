import type { Area, ScreenInput } from '../../../remote/rfb/screen-source.ts'
import { findCharacter, findKey, type VirtualKey } from './keysyms.ts'
import type { User32 } from './user32.ts'

/** INPUT on 64 bits. The first number is the type; its content starts at byte 8. */
const INPUT_BYTES = 40
const MOUSE = 0
const KEYBOARD = 1
const KEY = { extended: 1, up: 2, unicode: 4 } as const
const MOVE = 0x00_01
const ABSOLUTE = 0x80_00
const ALL_MONITORS = 0x40_00
const WHEEL = 0x08_00
const WHEEL_SIDEWAYS = 0x10_00
/** Bits of RFB's mask, with the flags of SendInput for down and up: left, middle, right. */
const BUTTONS = [
  { bit: 1, down: 0x00_02, up: 0x00_04 },
  { bit: 2, down: 0x00_20, up: 0x00_40 },
  { bit: 4, down: 0x00_08, up: 0x00_10 },
] as const
const WHEELS = [
  { bit: 8, flags: WHEEL, turn: 120 },
  { bit: 16, flags: WHEEL, turn: -120 },
  { bit: 32, flags: WHEEL_SIDEWAYS, turn: -120 },
  { bit: 64, flags: WHEEL_SIDEWAYS, turn: 120 },
] as const
const SCREEN_UNITS = 65_536
/** GetSystemMetrics: buttons are swapped for left-handed users; the rectangle of all monitors. */
const SWAPPED = 23
const VIRTUAL_SCREEN = 76

/** AltGr. The browser sends the character it makes, so the key itself is not pressed: it would act as Ctrl+Alt. */
const LEVEL3_SHIFT = 0xfe_03
const CAPS_LOCK = 0x14
const SHIFT_KEYS = new Set([0xa0, 0xa1])
/** Control, Alt and Windows keys: with them, a key is meant and no character. */
const COMMAND_KEYS = new Set([0xa2, 0xa3, 0xa4, 0xa5, 0x5b, 0x5c])
const CONTROL_KEYS = new Set([0xa2, 0xa3])
const ALT_KEYS = new Set([0xa4, 0xa5])
const DELETE = 0xff_ff
/** On some layouts, the key of such a character makes nothing until a letter follows. */
const ACCENTS = new Set('^`´~¨°¸ˇ˘˙˝˛\'"')

type Pressed = { key: VirtualKey } | { text: string }

/** Types and points in this session by SendInput. */
export class DesktopInput implements ScreenInput {
  #user32: User32
  #area: () => Area
  #pressed = new Map<number, Pressed>()
  #buttons = 0
  #sendAttention: () => void

  /** `area`: the shown part of the screen. `sendAttention`: Ctrl+Alt+Del, which Windows accepts from no keyboard input. */
  constructor(user32: User32, { area, sendAttention }: { area: () => Area; sendAttention: () => void }) {
    this.#user32 = user32
    this.#area = area
    this.#sendAttention = sendAttention
  }

  point(x: number, y: number, buttons: number): void {
    const area = this.#area()
    const place = this.#place(area.x + x, area.y + y)
    const events = place === undefined ? [] : [mouseInput(MOVE | ABSOLUTE | ALL_MONITORS, place)]
    events.push(...this.#changeButtons(buttons))
    for (const { bit, flags, turn } of WHEELS)
      if ((buttons & ~this.#buttons & bit) !== 0) events.push(mouseInput(flags, { data: turn }))
    this.#buttons = buttons
    if (events.length > 0) this.#send(events)
  }

  press(keysym: number): void {
    if (keysym === LEVEL3_SHIFT) return
    if (keysym === DELETE && this.#isHeld(CONTROL_KEYS) && this.#isHeld(ALT_KEYS))
      return this.#sendAttention()
    const pressed = this.#pressed.get(keysym) ?? this.#choose(keysym)
    if (pressed === undefined) return
    this.#pressed.set(keysym, pressed)
    this.#sendKey(pressed, 0)
  }

  release(keysym: number): void {
    const pressed = this.#pressed.get(keysym)
    if (pressed === undefined) return
    this.#pressed.delete(keysym)
    this.#sendKey(pressed, KEY.up)
  }

  releaseAll(): void {
    for (const keysym of this.#pressed.keys()) this.release(keysym)
    const up = this.#changeButtons(0)
    this.#buttons = 0
    if (up.length > 0) this.#send(up)
  }

  #changeButtons(buttons: number): Buffer[] {
    const isSwapped = this.#user32.metric(SWAPPED) !== 0
    return BUTTONS.flatMap(({ bit }, index) => {
      if (((buttons ^ this.#buttons) & bit) === 0) return []
      const { down = 0, up = 0 } = BUTTONS[isSwapped ? 2 - index : index] ?? {}
      return [mouseInput((buttons & bit) === 0 ? up : down)]
    })
  }

  /** The key that makes this character with the pressed modifiers, or the character alone if none does. */
  #choose(keysym: number): Pressed | undefined {
    const key = findKey(keysym)
    if (key !== undefined) return { key }
    const text = findCharacter(keysym)
    if (text === undefined) return undefined
    const found = text.length === 1 ? this.#user32.scanKey(text.charCodeAt(0), this.#layout()) : -1
    const [code, shifts] = [found & 0xff, (found >> 8) & 0xff]
    if (found === -1) return { text }
    const makesIt = !ACCENTS.has(text) && shifts === Number(this.#isHeld(SHIFT_KEYS)) && !this.#hasCapsLock()
    return makesIt || this.#isHeld(COMMAND_KEYS) ? { key: { code, isExtended: false } } : { text }
  }

  #isHeld(codes: ReadonlySet<number>): boolean {
    return [...this.#pressed.values()].some((pressed) => 'key' in pressed && codes.has(pressed.key.code))
  }

  #hasCapsLock(): boolean {
    return (this.#user32.keyState(CAPS_LOCK) & 1) !== 0
  }

  /** The keyboard layout of the program that receives the keys. */
  #layout() {
    const window = this.#user32.foregroundWindow()
    return this.#user32.layoutOf(this.#user32.threadOf(window, null))
  }

  #sendKey(pressed: Pressed, flags: number): void {
    if ('text' in pressed) {
      // One input for each half of a character outside the basic plane.
      const units = pressed.text.split('').map((unit) => unit.charCodeAt(0))
      return this.#send(units.map((unit) => keyInput({ code: 0, scan: unit, flags: flags | KEY.unicode })))
    }
    const { code, isExtended } = pressed.key
    const scan = this.#user32.mapKey(code, 0, this.#layout())
    this.#send([keyInput({ code, scan, flags: flags | (isExtended ? KEY.extended : 0) })])
  }

  /** Undefined while Windows changes to another desktop, which has no size for a moment. */
  #place(x: number, y: number): { x: number; y: number } | undefined {
    const [left = 0, top = 0, width = 0, height = 0] = [0, 1, 2, 3].map((index) =>
      this.#user32.metric(VIRTUAL_SCREEN + index),
    )
    if (width <= 0 || height <= 0) return undefined
    // The middle of the pixel.
    const scale = (at: number, size: number) => Math.floor(((at + 0.5) * SCREEN_UNITS) / size)
    return { x: scale(x - left, width), y: scale(y - top, height) }
  }

  #send(events: Buffer[]): void {
    this.#user32.sendInput(events.length, Buffer.concat(events), INPUT_BYTES)
  }
}

/** MOUSEINPUT */
function mouseInput(
  flags: number,
  { x = 0, y = 0, data = 0 }: { x?: number; y?: number; data?: number } = {},
): Buffer {
  const input = Buffer.alloc(INPUT_BYTES)
  input.writeUInt32LE(MOUSE)
  input.writeInt32LE(x, 8)
  input.writeInt32LE(y, 12)
  input.writeInt32LE(data, 16)
  input.writeUInt32LE(flags, 20)
  return input
}

/** KEYBDINPUT */
function keyInput({ code, scan, flags }: { code: number; scan: number; flags: number }): Buffer {
  const input = Buffer.alloc(INPUT_BYTES)
  input.writeUInt32LE(KEYBOARD)
  input.writeUInt16LE(code, 8)
  input.writeUInt16LE(scan & 0xff_ff, 10)
  input.writeUInt32LE(flags, 12)
  return input
}
