import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasCutLastLine, hasLeftOut, keepEnds, OutputEnds } from './output-ends.ts'

test('a text within the limit is kept as it is', () => {
  for (const text of ['', 'one line', 'x'.repeat(200)]) expect(keepEnds(text, 200)).toBe(text)
  expect(hasLeftOut(keepEnds('x'.repeat(200), 200))).toBe(false)
})

test('of a longer text the first and the last part are kept', () => {
  const text = `first\n${'x'.repeat(5000)}\nlast`
  const kept = keepEnds(text, 200)
  expect(kept).toMatch(/^first\nx{94}\n\[4,859 characters left out here\]\nx{47}\nlast$/)
  expect(hasLeftOut(kept)).toBe(true)
  expect(hasCutLastLine(kept)).toBe(false)
  expect(hasCutLastLine(keepEnds('x'.repeat(5000), 200))).toBe(true)
})

test('the result does not depend on how a text is split, fits the limit and splits no character', () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'ä', '😀', '\n'), maxLength: 60 }), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(pieces, fc.integer({ min: 120, max: 300 }), (parts, max) => {
      const ends = new OutputEnds(max)
      for (const part of parts) ends.take(part)
      expect(ends.text).toBe(keepEnds(parts.join(''), max))
      expect(ends.text.length).toBeLessThanOrEqual(max)
      expect(ends.text.isWellFormed()).toBe(true)
    }),
    { numRuns: 1000 },
  )
})
