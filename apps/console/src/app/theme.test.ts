import { describe, expect, test } from 'vitest'
import { COLORS } from './colors.ts'

type Rgb = [number, number, number]

const STATES = ['accent', 'negative', 'warning', 'positive', 'info', 'maintenance', 'dim'] as const
const GROUNDS = ['page', 'surface', 'raised', 'hover', 'selected'] as const
/** As in the style sheets: words of a state are mixed with the text's colour, tints with the ground. */
const WORD = 0.78
const WORD_ON_TINT = 0.72
const TINT = 0.14

describe.each(['dark', 'light'] as const)('in %s mode', (scheme) => {
  const color = (name: keyof (typeof COLORS)['dark']) => toRgb(COLORS[scheme][name])

  test.each(GROUNDS)('text, and words of every state, read well on %s', (ground) => {
    const tooFaint = STATES.filter(
      (state) => contrast(mix(color(state), color('text'), WORD), color(ground)) < 4.5,
    )
    expect(tooFaint).toEqual([])
    expect(contrast(color('text'), color(ground))).toBeGreaterThan(7)
    expect(contrast(color('dim'), color(ground))).toBeGreaterThanOrEqual(4.5)
  })

  test.each(GROUNDS)('notices in the tint of their state read well on %s', (ground) => {
    const tooFaint = STATES.filter((state) => {
      const tint = mix(color(state), color(ground), TINT)
      return contrast(mix(color(state), color('text'), WORD_ON_TINT), tint) < 4.5
    })
    expect(tooFaint).toEqual([])
  })
})

function toRgb(hex: string): Rgb {
  const number = Number.parseInt(hex.slice(1), 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}

function mix(a: Rgb, b: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => a[index] * share + b[index] * (1 - share)
  return [part(0), part(1), part(2)]
}

/** WCAG 2.2, contrast ratio. */
function contrast(a: Rgb, b: Rgb): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((first, second) => first - second)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
