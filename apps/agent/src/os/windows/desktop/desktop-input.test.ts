import { expect, test } from 'vitest'
import { DesktopInput } from './desktop-input.ts'
import type { User32 } from './user32.ts'

const SHIFT = 0xff_e1
const CONTROL = 0xff_e3
const ALT = 0xff_e9
const EURO = 0x20_ac

/** A keyboard with small letters, and "/" on the shifted 7 as in Germany. */
const LAYOUT: Record<string, number> = { '/': 0x1_37, a: 0x41, A: 0x1_41, '@': 0x6_51, '^': 0xdc }

function givenInput({ swapped = false, capsLock = false, width = 1000 } = {}) {
  const sent: string[] = []
  // The functions that input needs.
  const user32 = {
    metric: (index: number) => ({ 23: Number(swapped), 76: -100, 77: 0, 78: width, 79: 500 })[index] ?? 0,
    foregroundWindow: () => 1,
    threadOf: () => 1,
    layoutOf: () => 1,
    scanKey: (character: number) => LAYOUT[String.fromCharCode(character)] ?? -1,
    mapKey: () => 0x1e,
    keyState: () => Number(capsLock),
    sendInput(count: number, inputs: Buffer) {
      for (let at = 0; at < count * 40; at += 40) sent.push(describe(inputs.subarray(at, at + 40)))
      return count
    },
  } as unknown as User32
  let attentions = 0
  const area = { x: -100, y: 0, width: 1000, height: 500 }
  const input = new DesktopInput(user32, { area: () => area, sendAttention: () => (attentions += 1) })
  const take = () => sent.splice(0)
  return { input, take, attentions: () => attentions }
}

/** Keys as `+code` and `-code`, characters as text, the mouse as its flags, place and data. */
function describe(input: Buffer): string {
  if (input.readUInt32LE(0) === 0)
    return `mouse ${input.readUInt32LE(20).toString(16)} ${input.readInt32LE(8)} ${input.readInt32LE(12)} ${input.readInt32LE(16)}`
  const flags = input.readUInt32LE(12)
  const sign = (flags & 2) === 0 ? '+' : '-'
  if ((flags & 4) !== 0) return `${sign}${String.fromCharCode(input.readUInt16LE(10))}`
  return `${sign}${input.readUInt16LE(8).toString(16)}${(flags & 1) === 0 ? '' : ' extended'}`
}

function press(input: DesktopInput, ...keysyms: number[]): void {
  for (const keysym of keysyms) input.press(keysym)
  for (const keysym of keysyms.toReversed()) input.release(keysym)
}

test('a character is typed by its key if the pressed modifiers make it, and as text otherwise', () => {
  const { input, take } = givenInput()
  press(input, 0x61)
  expect(take()).toEqual(['+41', '-41'])
  press(input, SHIFT, 0x41)
  expect(take()).toEqual(['+a0', '+41', '-41', '-a0'])
  // "/" without shift on the other keyboard, and a capital letter by its Caps Lock.
  press(input, 0x2f)
  press(input, 0x41)
  press(input, EURO)
  press(input, 0x01_00_00_00 + 0x96_ea)
  expect(take()).toEqual(['+/', '-/', '+A', '-A', '+€', '-€', '+雪', '-雪'])
})

test('a character outside the basic plane is typed in two halves', () => {
  const { input, take } = givenInput()
  input.press(0x01_00_00_00 + 0x1_f6_00)
  expect(take()).toEqual(['+\ud83d', '+\ude00'])
})

test('with Control or Alt, the key is pressed', () => {
  const { input, take } = givenInput()
  press(input, CONTROL, 0x2f)
  expect(take()).toEqual(['+a2', '+37', '-37', '-a2'])
})

test('AltGr is left to the character that it makes', () => {
  const { input, take } = givenInput()
  press(input, 0xfe_03, 0x40)
  expect(take()).toEqual(['+@', '-@'])
})

test('a character is not left to a key that waits for a letter, except in shortcuts', () => {
  const { input, take } = givenInput()
  press(input, 0x5e)
  press(input, CONTROL, 0x5e)
  expect(take()).toEqual(['+^', '-^', '+a2', '+dc', '-dc', '-a2'])
})

test('letters are typed as text while Caps Lock of the machine is on', () => {
  const { input, take } = givenInput({ capsLock: true })
  press(input, 0x61)
  expect(take()).toEqual(['+a', '-a'])
})

test('a repeated key stays the same key, and unknown ones do nothing', () => {
  const { input, take } = givenInput()
  input.press(0xff_53)
  input.press(0xff_53)
  input.release(0xff_53)
  input.release(0xff_53)
  press(input, 0x12_34_56)
  expect(take()).toEqual(['+27 extended', '+27 extended', '-27 extended'])
})

test('Ctrl+Alt+Del is sent in another way', () => {
  const { input, take, attentions } = givenInput()
  press(input, CONTROL, ALT, 0xff_ff)
  expect(attentions()).toBe(1)
  expect(take()).toEqual(['+a2', '+a4', '-a4', '-a2'])
})

test('the pointer is placed among all monitors, with its buttons and wheel', () => {
  const { input, take } = givenInput()
  input.point(500, 250, 1)
  input.point(500, 250, 1 + 16)
  input.point(500, 250, 0)
  const place = 'mouse c001 32800 32833 0'
  expect(take()).toEqual([place, 'mouse 2 0 0 0', place, 'mouse 800 0 0 -120', place, 'mouse 4 0 0 0'])
})

test('a screen without a size takes the buttons where the pointer is', () => {
  const { input, take } = givenInput({ width: 0 })
  input.point(500, 250, 0)
  input.point(500, 250, 1)
  expect(take()).toEqual(['mouse 2 0 0 0'])
})

test('buttons that the user has swapped are swapped back', () => {
  const { input, take } = givenInput({ swapped: true })
  input.point(0, 0, 1)
  input.releaseAll()
  expect(take().slice(1)).toEqual(['mouse 8 0 0 0', 'mouse 10 0 0 0'])
})

test('everything that is pressed is released at the end', () => {
  const { input, take } = givenInput()
  for (const keysym of [CONTROL, 0x61]) input.press(keysym)
  input.point(1, 1, 4)
  take()
  input.releaseAll()
  expect(take()).toEqual(['-a2', '-41', 'mouse 10 0 0 0'])
})
