import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from '../test-render.ts'
import { Splitter } from './Splitter.tsx'

function Panes({ onCommit }: { onCommit: (value: number) => void }) {
  const [value, setValue] = useState(20)
  return (
    <div style={{ position: 'relative', width: 1000, height: 200 }}>
      <div style={{ position: 'absolute', top: 0, bottom: 0, left: `${value}%` }}>
        <Splitter
          label="Width"
          orientation="vertical"
          value={value}
          min={10}
          max={60}
          step={1}
          initial={20}
          unitsPerPixel={() => 0.1}
          onMove={setValue}
          onCommit={onCommit}
        />
      </div>
    </div>
  )
}

async function openPanes() {
  const onCommit = vi.fn()
  const screen = await render(<Panes onCommit={onCommit} />)
  const line = screen.getByRole('separator', { name: 'Width' })
  const drag = (type: string, clientX: number) =>
    line
      .element()
      .dispatchEvent(new PointerEvent(type, { clientX, clientY: 50, button: 0, pointerId: 1, bubbles: true }))
  // A pointer that is not real cannot be captured.
  line.element().setPointerCapture = () => undefined
  return { line, drag, onCommit }
}

test('dragging moves at once and reports once, on release', async () => {
  const { line, drag, onCommit } = await openPanes()
  drag('pointerdown', 200)
  drag('pointermove', 250)
  await expect.element(line).toHaveAttribute('aria-valuenow', '25')
  drag('pointermove', 305)
  await expect.element(line).toHaveAttribute('aria-valuenow', '31')
  expect(onCommit).not.toHaveBeenCalled()
  drag('pointerup', 305)
  expect(onCommit).toHaveBeenCalledTimes(1)
  expect(onCommit.mock.calls[0]?.[0]).toBeCloseTo(30.5)
})

test('it stops at its limits', async () => {
  const { line, drag } = await openPanes()
  drag('pointerdown', 200)
  drag('pointermove', 5000)
  await expect.element(line).toHaveAttribute('aria-valuenow', '60')
  drag('pointermove', -5000)
  await expect.element(line).toHaveAttribute('aria-valuenow', '10')
})

test('keys move it, and a key brings it back', async () => {
  const { line, onCommit } = await openPanes()
  line.element().focus()
  await userEvent.keyboard('{ArrowRight}{ArrowRight}')
  await expect.element(line).toHaveAttribute('aria-valuenow', '22')
  await userEvent.keyboard('{Home}')
  await expect.element(line).toHaveAttribute('aria-valuenow', '10')
  await userEvent.keyboard('{Enter}')
  await expect.element(line).toHaveAttribute('aria-valuenow', '20')
  expect(onCommit).toHaveBeenLastCalledWith(20)
})

test('a press without a move reports nothing', async () => {
  const { drag, onCommit } = await openPanes()
  drag('pointerdown', 200)
  drag('pointerup', 200)
  expect(onCommit).not.toHaveBeenCalled()
})
