import { expect, test } from 'vitest'
import { render } from 'vitest-browser-react'
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
