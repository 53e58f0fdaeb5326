import { MantineProvider } from '@mantine/core'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from '../test-render.ts'
import { Tree } from './Tree.tsx'
import type { TreeLine } from './tree-keys.ts'

const BRANCHES = [
  { id: 'a', label: 'Acme', leaves: ['Berlin', 'Munich'] },
  { id: 'b', label: 'Borealis', leaves: ['Office'] },
  { id: 'c', label: 'Cedar', leaves: ['Main'] },
]

function listLines(opened: ReadonlySet<string>): TreeLine[] {
  return BRANCHES.flatMap(({ id, label, leaves }, index) => [
    { id, label, level: 1, position: index + 1, siblings: BRANCHES.length, expanded: opened.has(id) },
    ...(opened.has(id) ? leaves : []).map((leaf, at) => ({
      id: `${id} ${leaf}`,
      label: leaf,
      level: 2,
      position: at + 1,
      siblings: leaves.length,
    })),
  ])
}

function TestTree({ onMenu }: { onMenu?: (line: TreeLine) => void }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set(['a']))
  const [selected, setSelected] = useState('')
  return (
    <MantineProvider>
      <div style={{ display: 'flex', width: 280, height: 300 }}>
        <Tree
          label="Sites"
          lines={listLines(opened)}
          selected={selected}
          onSelect={({ id }) => setSelected(id)}
          onToggle={(ids, expanded) =>
            setOpened(
              expanded
                ? new Set([...opened, ...ids])
                : new Set([...opened].filter((id) => !ids.includes(id))),
            )
          }
          hasMenu={({ level }) => level === 1}
          onMenu={(line) => onMenu?.(line)}
          renderLine={({ label }) => label}
        />
      </div>
      <output>{selected}</output>
    </MantineProvider>
  )
}

async function openTree(onMenu?: (line: TreeLine) => void) {
  const screen = await render(<TestTree {...(onMenu ? { onMenu } : {})} />)
  const line = (name: string) => screen.getByRole('treeitem', { name })
  const press = (keys: string) => userEvent.keyboard(keys)
  const expectFocus = (name: string) => expect.element(line(name)).toHaveFocus()
  line('Acme').element().focus()
  return { screen, line, press, expectFocus }
}

test('arrows move, open and close as the tree pattern says', async () => {
  const { line, press, expectFocus } = await openTree()
  await press('{ArrowDown}')
  await expectFocus('Berlin')
  await press('{ArrowLeft}')
  await expectFocus('Acme')
  await press('{ArrowLeft}')
  await expect.element(line('Acme')).toHaveAttribute('aria-expanded', 'false')
  await expect.element(line('Berlin')).not.toBeInTheDocument()
  await press('{ArrowRight}')
  await expect.element(line('Acme')).toHaveAttribute('aria-expanded', 'true')
  await press('{ArrowRight}')
  await expectFocus('Berlin')
  await press('{End}')
  await expectFocus('Cedar')
  await press('{Home}')
  await expectFocus('Acme')
  await press('*')
  await expect.element(line('Main')).toBeInTheDocument()
})

test('one line at a time takes part in the tab order', async () => {
  const { screen, press } = await openTree()
  await press('{ArrowDown}')
  const lines = screen.getByRole('treeitem').elements()
  expect(lines.filter((element) => element.getAttribute('tabindex') === '0')).toHaveLength(1)
  expect(document.activeElement?.getAttribute('tabindex')).toBe('0')
})

test('typing the first letters finds a line', async () => {
  const { press, expectFocus } = await openTree()
  await press('b')
  await expectFocus('Berlin')
  await press('o')
  await expectFocus('Borealis')
})

test('Enter and Space select, and lines say what they are', async () => {
  const { screen, line, press } = await openTree()
  await press('{ArrowDown}{Enter}')
  await expect.element(screen.getByRole('status')).toHaveTextContent('a Berlin')
  await expect.element(line('Berlin')).toHaveAttribute('aria-selected', 'true')
  await expect.element(line('Berlin')).toHaveAttribute('aria-level', '2')
  await expect.element(line('Berlin')).toHaveAttribute('aria-setsize', '2')
  await press('{ArrowDown} ')
  await expect.element(screen.getByRole('status')).toHaveTextContent('a Munich')
})

test('the menu opens by key, by right click and by its button', async () => {
  const onMenu = vi.fn()
  const { line, press } = await openTree(onMenu)
  await press('{Shift>}{F10}{/Shift}')
  expect(onMenu).toHaveBeenCalledTimes(1)
  await line('Borealis').click({ button: 'right' })
  expect(onMenu).toHaveBeenCalledTimes(2)
  await line('Cedar').hover()
  await line('Cedar').getByRole('button', { name: 'Actions on Cedar' }).click()
  expect(onMenu.mock.calls.map(([chosen]) => chosen.label)).toEqual(['Acme', 'Borealis', 'Cedar'])
})
