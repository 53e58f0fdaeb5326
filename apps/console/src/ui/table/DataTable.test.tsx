import { MantineProvider } from '@mantine/core'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from '../test-render.ts'
import { DataTable } from './DataTable.tsx'
import type { HeadTarget } from './DataHead.tsx'
import type { DataColumn } from './data-column.ts'

interface Item {
  id: string
  name: string
}

const COLUMNS: readonly DataColumn<Item>[] = [
  { id: 'id', title: 'Id', width: '100px', render: ({ id }) => id },
  {
    id: 'name',
    title: 'Name',
    width: '1fr',
    sortable: true,
    render: ({ name }) => <span className="cut">{name}</span>,
    watch: ({ name }) => name,
  },
]

const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: `r${index}`, name: `Item ${index}` }))

interface Calls {
  onOpen?: (row: Item) => void
  onMenu?: (row: Item) => void
  onSort?: (column: string) => void
  onDoubleClick?: (row: Item) => void
}

const NOBODY: ReadonlySet<string> = new Set()

function CheckTable({ rows, calls }: { rows: Item[]; calls?: Calls | undefined }) {
  const [selected, setSelected] = useState<string>()
  const [checked, setChecked] = useState(NOBODY)
  return (
    <MantineProvider>
      <div style={{ width: 600, height: 330 }}>
        <DataTable
          label="Items"
          rows={rows}
          rowKey={({ id }) => id}
          columns={COLUMNS}
          context={undefined}
          rowHeight={30}
          selected={selected}
          onSelect={(row) => setSelected(row?.id)}
          checks={{
            checked,
            onChange: setChecked,
            label: ({ name }) => `Select ${name}`,
            labelAll: 'Select all items',
          }}
          {...calls}
        />
      </div>
      <output>{selected ?? 'none'}</output>
      <p data-testid="checked">{[...checked].sort().join(' ')}</p>
    </MantineProvider>
  )
}

async function openCheckTable(rows: Item[], calls?: Calls) {
  const screen = await render(<CheckTable rows={rows} {...(calls ? { calls } : {})} />)
  const grid = screen.getByRole('grid', { name: 'Items' })
  const expectChecked = (text: string) =>
    expect.poll(() => screen.getByTestId('checked').element().textContent).toBe(text)
  const box = (name: string) => screen.getByRole('checkbox', { name, exact: true })
  return { screen, grid, expectChecked, box, press: (keys: string) => userEvent.keyboard(keys) }
}

function Table({ rows, calls }: { rows: Item[]; calls?: Calls | undefined }) {
  const [selected, setSelected] = useState<string>()
  return (
    <MantineProvider>
      <div style={{ width: 600, height: 330 }}>
        <DataTable
          label="Items"
          rows={rows}
          rowKey={({ id }) => id}
          columns={COLUMNS}
          context={undefined}
          rowHeight={30}
          selected={selected}
          onSelect={(row) => setSelected(row?.id)}
          sort={{ column: 'name', descending: false }}
          empty="nothing"
          {...calls}
        />
      </div>
      <output>{selected ?? 'none'}</output>
    </MantineProvider>
  )
}

async function openTable(rows: Item[], calls?: Calls) {
  const screen = await render(<Table rows={rows} {...(calls ? { calls } : {})} />)
  const grid = screen.getByRole('grid', { name: 'Items' })
  const selected = () => expect.element(screen.getByRole('status'))
  const press = (keys: string) => userEvent.keyboard(keys)
  return { screen, grid, selected, press }
}

test('only the rows in view are drawn, of however many', async () => {
  const { screen, grid } = await openTable(items(100_000))
  await expect.element(screen.getByText('Item 0', { exact: true })).toBeVisible()
  expect(grid.element().querySelectorAll('[data-row]').length).toBeLessThan(30)
  expect(grid.element().getAttribute('aria-rowcount')).toBe('100001')
  grid.element().scrollTop = 30 * 50_000
  await expect.element(screen.getByText('Item 50000', { exact: true })).toBeVisible()
  const row = screen.getByText('Item 50000', { exact: true }).element().closest('[role=row]')
  expect(row?.getAttribute('aria-rowindex')).toBe('50002')
})

test('arrows, page keys, Home and End walk the rows and keep the row in view', async () => {
  const { grid, selected, press } = await openTable(items(1000))
  grid.element().focus()
  await press('{ArrowDown}')
  await selected().toHaveTextContent('r0')
  await press('{ArrowDown}{ArrowDown}{ArrowUp}')
  await selected().toHaveTextContent('r1')
  await press('{PageDown}')
  await selected().toHaveTextContent('r11')
  await press('{End}')
  await selected().toHaveTextContent('r999')
  await expect.poll(() => grid.element().getAttribute('aria-activedescendant')).toMatch(/r999$/)
  const active = document.getElementById(grid.element().getAttribute('aria-activedescendant') ?? '')
  expect(active?.getAttribute('aria-selected')).toBe('true')
  await press('{PageUp}')
  await selected().toHaveTextContent('r989')
  await press('{Home}')
  await selected().toHaveTextContent('r0')
  await press('{Escape}')
  await selected().toHaveTextContent('none')
})

test('Enter opens, the menu key asks for the menu, and clicks do the same', async () => {
  const calls = { onOpen: vi.fn(), onMenu: vi.fn(), onDoubleClick: vi.fn() }
  const { screen, grid, selected, press } = await openTable(items(5), calls)
  grid.element().focus()
  await press('{ArrowDown}{Enter}')
  expect(calls.onOpen).toHaveBeenCalledWith({ id: 'r0', name: 'Item 0' })
  await press('{Shift>}{F10}{/Shift}')
  expect(calls.onMenu).toHaveBeenCalledTimes(1)
  await screen.getByText('Item 3').click({ button: 'right' })
  await selected().toHaveTextContent('r3')
  expect(calls.onMenu).toHaveBeenCalledTimes(2)
  await screen.getByText('Item 2').dblClick()
  expect(calls.onDoubleClick).toHaveBeenCalledWith({ id: 'r2', name: 'Item 2' })
})

test('titles say how they sort, and a click sorts', async () => {
  const onSort = vi.fn()
  const { screen } = await openTable(items(3), { onSort })
  const title = screen.getByRole('columnheader', { name: 'Name' })
  await expect.element(title).toHaveAttribute('aria-sort', 'ascending')
  await title.getByRole('button').click()
  expect(onSort).toHaveBeenCalledWith('name')
  await expect.element(screen.getByRole('columnheader', { name: 'Id' })).not.toHaveAttribute('aria-sort')
})

test('a table without rows says so', async () => {
  const { screen } = await openTable([])
  await expect.element(screen.getByText('nothing')).toBeVisible()
})

test('a changed cell tints, an unchanged one does not, and rows keep their selection', async () => {
  const rows = items(3)
  const screen = await render(<Table rows={rows} />)
  await screen.getByText('Item 1').click()
  await screen.rerender(
    <Table rows={rows.map((row) => (row.id === 'r1' ? { ...row, name: 'Other' } : row))} />,
  )
  const changed = screen.getByText('Other').element().closest('[role=gridcell]')
  expect(changed?.getAttribute('data-tint')).toBe('1')
  expect(changed?.closest('[role=row]')?.getAttribute('aria-selected')).toBe('true')
  const other = screen.getByText('Item 2').element().closest('[role=gridcell]')
  expect(other?.hasAttribute('data-tint')).toBe(false)
})

test('cut text is shown on hover until a key is pressed, other text is not', async () => {
  const long = 'n'.repeat(500)
  const { screen, grid, press } = await openTable([
    { id: 'short', name: 'short' },
    { id: 'long', name: long },
  ])
  const tip = () => document.querySelector('[class*=tip][aria-hidden]')
  const cells = screen.getByRole('gridcell')
  await cells.nth(3).hover()
  await expect.poll(() => tip()?.textContent).toBe(long)
  grid.element().focus()
  await press('{ArrowDown}')
  await expect.poll(tip).toBe(null)
  await cells.nth(3).hover()
  await cells.nth(1).hover()
  await cells.nth(3).hover()
  await expect.poll(() => tip()?.textContent).toBe(long)
  await cells.nth(1).hover()
  await expect.poll(tip).toBe(null)
})

test('a check box checks its row without selecting it; Shift and Ctrl check from any cell', async () => {
  const onDoubleClick = vi.fn()
  const { screen, box, expectChecked } = await openCheckTable(items(9), { onDoubleClick })
  const cell = (name: string) => screen.getByText(name, { exact: true })
  await box('Select Item 2').click()
  await expectChecked('r2')
  await expect.element(screen.getByRole('status')).toHaveTextContent('none')
  await cell('Item 4').click({ modifiers: ['Shift'] })
  await expectChecked('r2 r3 r4')
  // A range that shrinks leaves nothing behind.
  await cell('Item 3').click({ modifiers: ['Shift'] })
  await expectChecked('r2 r3')
  await cell('Item 7').click({ modifiers: ['Control'] })
  await expectChecked('r2 r3 r7')
  await box('Select Item 3').dblClick()
  await expectChecked('r2 r3 r7')
  expect(onDoubleClick).not.toHaveBeenCalled()
  await cell('Item 5').click()
  await expect.element(screen.getByRole('status')).toHaveTextContent('r5')
  await expectChecked('r2 r3 r7')
})

test('Space, Shift and arrows, Ctrl+A and the box of the header check rows', async () => {
  const { grid, box, press, expectChecked } = await openCheckTable(items(4))
  grid.element().focus()
  await press('{ArrowDown}{ArrowDown} ')
  await expectChecked('r1')
  await press('{Shift>}{ArrowDown}{ArrowDown}{/Shift}')
  await expectChecked('r1 r2 r3')
  await press('{Shift>}{ArrowUp}{/Shift}')
  await expectChecked('r1 r2')
  const all = box('Select all items')
  expect(all.element()).toHaveProperty('indeterminate', true)
  await press('{Control>}a{/Control}')
  await expectChecked('r0 r1 r2 r3')
  await expect.element(all).toBeChecked()
  await all.click()
  await expectChecked('')
  await all.click()
  await expectChecked('r0 r1 r2 r3')
})

function ResizableTable({ onHeadMenu }: { onHeadMenu: (target: HeadTarget) => void }) {
  const [width, setWidth] = useState<number | null>(null)
  const columns = COLUMNS.map((column) =>
    column.id === 'name' ? { ...column, width: width === null ? '200px' : `${width}px` } : column,
  )
  return (
    <MantineProvider>
      <div style={{ width: 600, height: 330 }}>
        <DataTable
          label="Items"
          rows={items(3)}
          rowKey={({ id }) => id}
          columns={columns}
          context={undefined}
          rowHeight={30}
          onSort={() => undefined}
          onResize={(_column, next) => setWidth(next)}
          onHeadMenu={onHeadMenu}
        />
      </div>
      <output>{width ?? 'usual'}</output>
    </MantineProvider>
  )
}

test('Alt and an arrow on a title change the width of its column, within limits', async () => {
  const screen = await render(<ResizableTable onHeadMenu={() => undefined} />)
  const title = screen.getByRole('button', { name: 'Name' })
  const header = () => screen.getByRole('columnheader', { name: 'Name' }).element() as HTMLElement
  expect(title.element().getAttribute('aria-keyshortcuts')).toBe('Alt+ArrowLeft Alt+ArrowRight')
  ;(title.element() as HTMLElement).focus()
  await userEvent.keyboard('{Alt>}{ArrowRight}{ArrowRight}{ArrowLeft}{/Alt}')
  await expect.element(screen.getByRole('status')).toHaveTextContent('216')
  expect(header().offsetWidth).toBe(216)
  await expect.element(screen.getByText('Name, width 216 pixels')).toBeInTheDocument()
  await userEvent.keyboard(`{Alt>}${'{ArrowLeft}'.repeat(12)}{/Alt}`)
  await expect.element(screen.getByRole('status')).toHaveTextContent('40')
  // Plain arrows are not for titles.
  await userEvent.keyboard('{ArrowRight}')
  expect(header().offsetWidth).toBe(40)
})

test('the menu key and a right click on a title ask for its menu', async () => {
  const onHeadMenu = vi.fn()
  const screen = await render(<ResizableTable onHeadMenu={onHeadMenu} />)
  const title = screen.getByRole('button', { name: 'Name' })
  ;(title.element() as HTMLElement).focus()
  await userEvent.keyboard('{Shift>}{F10}{/Shift}')
  expect(onHeadMenu).toHaveBeenCalledTimes(1)
  expect(onHeadMenu.mock.lastCall?.[0]).toMatchObject({ column: 'name', widthPx: 200 })
  await title.click({ button: 'right' })
  expect(onHeadMenu).toHaveBeenCalledTimes(2)
})
