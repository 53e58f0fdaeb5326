import { useState } from 'react'
import { expect, test } from 'vitest'
import { render } from '../test-render.ts'
import { OutputBox } from './OutputBox.tsx'

const lines = (count: number) => [
  { text: Array.from({ length: count }, (_, index) => `line ${index}\n`).join('') },
]
const box = (segments: { text: string }[], growing = true) => (
  <div style={{ height: 120 }}>
    <OutputBox label="Output" segments={segments} growing={growing} empty="No output yet." />
  </div>
)

test('output is text, whatever it looks like', async () => {
  const screen = await render(box([{ text: '<img src=x onerror="document.title=1"> <b>bold</b>' }]))
  await expect.element(screen.getByText('<img src=x onerror="document.title=1"> <b>bold</b>')).toBeVisible()
  expect(screen.getByRole('region', { name: 'Output' }).element().querySelector('img, b')).toBeNull()
})

test('the end stays in view while it grows, unless one has scrolled up', async () => {
  const screen = await render(box([]))
  await expect.element(screen.getByText('No output yet.')).toBeVisible()
  const element = screen.getByRole('region', { name: 'Output' }).element()
  const isAtEnd = () => element.scrollTop + element.clientHeight >= element.scrollHeight - 2
  await screen.rerender(box(lines(50)))
  await expect.poll(isAtEnd).toBe(true)
  await screen.rerender(box(lines(80)))
  await expect.poll(isAtEnd).toBe(true)
  element.scrollTop = 10
  await new Promise((resolve) => requestAnimationFrame(resolve))
  await screen.rerender(box(lines(120)))
  expect(element.scrollTop).toBe(10)
})

test('it takes the keyboard, so that it can be scrolled without a mouse', async () => {
  const screen = await render(box(lines(50), false))
  const element = screen.getByRole('region', { name: 'Output' }).element()
  element.focus()
  expect(document.activeElement).toBe(element)
})

test('half a million lines are there at once, and read as one text', async () => {
  const segment = { text: 'y\n'.repeat(4096) }
  function Filled() {
    const [count, setCount] = useState(0)
    return (
      <>
        <button type="button" onClick={() => setCount(128)}>
          Fill
        </button>
        {box(Array.from({ length: count }, () => segment))}
      </>
    )
  }
  const screen = await render(<Filled />)
  const element = screen.getByRole('region', { name: 'Output' }).element()
  screen
    .getByRole('button')
    .element()
    .dispatchEvent(new MouseEvent('click', { bubbles: true }))
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  expect(element.textContent === segment.text.repeat(128)).toBe(true)
  expect(element.scrollHeight).toBeGreaterThan(128 * 4096 * 18)
  expect(element.scrollTop + element.clientHeight).toBeGreaterThan(element.scrollHeight - 2)
})

test('a line that comes in pieces stays one line, and is copied as it was', async () => {
  const filler = `${'x'.repeat(5000)}\n`
  const screen = await render(box([{ text: filler }, { text: 'a' }, { text: 'b\n' }, { text: filler }]))
  const [a, b] = [screen.getByText('a', { exact: true }), screen.getByText('b', { exact: true })]
  expect(a.element().getBoundingClientRect().top).toBe(b.element().getBoundingClientRect().top)
  getSelection()?.selectAllChildren(screen.getByRole('region', { name: 'Output' }).element())
  expect(getSelection()?.toString().trimEnd()).toBe(`${filler}ab\n${filler}`.trimEnd())
})
