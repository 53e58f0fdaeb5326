import { MantineProvider, Tabs } from '@mantine/core'
import { expect, test } from 'vitest'
import { render } from '../test-render.ts'
import { useSelectedInView } from './use-selected-in-view.ts'

const NAMES = Array.from({ length: 12 }, (_, index) => `Tab ${index}`)

function Narrow({ selected }: { selected: string }) {
  const tabs = useSelectedInView(selected)
  return (
    <MantineProvider>
      <Tabs value={selected}>
        <Tabs.List ref={tabs} style={{ display: 'flex', width: 200, flexWrap: 'nowrap', overflow: 'auto' }}>
          {NAMES.map((name) => (
            <Tabs.Tab key={name} value={name} style={{ flex: 'none', width: 80 }}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
    </MantineProvider>
  )
}

test('the selected tab of a narrow list is in view, at first and after a change', async () => {
  const screen = await render(<Narrow selected="Tab 9" />)
  const list = screen.getByRole('tablist').element()
  await expect.poll(() => list.scrollLeft).toBeGreaterThan(500)
  await screen.rerender(<Narrow selected="Tab 0" />)
  await expect.poll(() => list.scrollLeft).toBe(0)
})

test('a list that becomes narrower keeps the selected tab in view, unless the user has scrolled away', async () => {
  const screen = await render(<Narrow selected="Tab 1" />)
  const list = screen.getByRole('tablist').element() as HTMLElement
  const resize = async (width: number) => {
    list.style.width = `${width}px`
    const { promise, resolve } = Promise.withResolvers<void>()
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
    await promise
  }
  await resize(100)
  await expect.poll(() => list.scrollLeft).toBeGreaterThan(50)
  const scrolled = new Promise((resolve) => list.addEventListener('scroll', resolve, { once: true }))
  list.scrollLeft = 600
  await scrolled
  await resize(90)
  expect(list.scrollLeft).toBe(600)
})
