import { expect, test } from 'vitest'
import { escapeMarkup } from './session-tools.ts'

test('a message to the desktop is text: no link, no markup', () => {
  expect(escapeMarkup('R&D: <a href="https://evil.example">read this</a> &lt;now&gt;')).toBe(
    'R&amp;D: &lt;a href="https://evil.example"&gt;read this&lt;/a&gt; &amp;lt;now&amp;gt;',
  )
})
