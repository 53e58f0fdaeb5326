import { useMediaQuery } from '@mantine/hooks'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { Process } from '@muster/contract/api/processes'
import { IconAdjustments, IconHandStop, IconSkull } from '@tabler/icons-react'
import { use, useMemo, useState } from 'react'
import { ContextMenu } from '../../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { formatDate } from '../../../ui/layout/date-format.ts'
import { DateFormat } from '../../../ui/layout/date-format-context.ts'
import { divider, type MenuEntry, type Point } from '../../../ui/dialog/menu-entry.ts'
import { EndProcessDialog, type EndWish } from './EndProcessDialog.tsx'
import { PriorityDialog } from './PriorityDialog.tsx'
import classes from '../../../ui/layout/ListPane.module.css'
import { PROCESS_CARD, PROCESS_COLUMNS, PROCESS_COLUMNS_PX, type ProcessContext } from './process-columns.tsx'
import {
  holdOrder,
  keyOf,
  layOut,
  type ProcessLine,
  searchProcesses,
  sortProcesses,
  START_SORT,
} from './process-rows.ts'

interface ProcessTableProps {
  agent: AgentDetail
  processes: readonly Process[]
  search: string
  asTree: boolean
}

type Open = { process: Process } & ({ at: Point } | { wish: EndWish } | { what: 'priority' })

/** While the pointer is over the table, one is selected, or something about one is asked, no row changes its place. */
export function ProcessTable({ agent, processes, search, asTree }: ProcessTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [sort, setSort] = useState(START_SORT)
  const [selected, setSelected] = useState<string>()
  const [isOver, setOver] = useState(false)
  const [open, setOpen] = useState<Open>()
  const format = use(DateFormat)
  const context = useMemo<ProcessContext>(
    () => ({ formatDate: (instant) => formatDate(instant, format) }),
    [format],
  )
  const isHeld = isOver || selected !== undefined || open !== undefined
  const view = `${sort.column} ${sort.descending} ${asTree} ${search}`
  const lines = useHeldLines(
    useMemo(
      () => layOut(sortProcesses(searchProcesses(processes, search), sort), asTree),
      [processes, search, sort, asTree],
    ),
    isHeld ? view : undefined,
  )
  const ask = (wish: EndWish) => (line: ProcessLine) => setOpen({ process: line.process, wish })
  return (
    <div className={classes.table} onPointerEnter={() => setOver(true)} onPointerLeave={() => setOver(false)}>
      <DataTable
        label="Processes"
        rows={lines}
        rowKey={keyOf}
        columns={PROCESS_COLUMNS}
        context={context}
        rowHeight={28}
        minWidth={PROCESS_COLUMNS_PX}
        sort={sort}
        onSort={(column) =>
          setSort((before) => ({
            column,
            descending:
              before.column === column ? !before.descending : column === 'cpu' || column === 'memory',
          }))
        }
        selected={selected}
        onSelect={(line) => setSelected(line && keyOf(line))}
        onOpen={ask({ force: false, tree: false })}
        onMenu={(line, at) => setOpen({ process: line.process, at })}
        {...(hasCards ? { onDoubleClick: ask({ force: false, tree: false }) } : {})}
        card={hasCards ? PROCESS_CARD : undefined}
        scrollKey={view}
        empty={<EmptyState message="No process has all of these words." />}
      />
      {open !== undefined && (
        <ContextMenu
          label={`Process ${open.process.name}`}
          at={'at' in open ? open.at : undefined}
          entries={menuOf(open.process, setOpen)}
          onClose={() => setOpen((now) => (now !== undefined && 'at' in now ? undefined : now))}
        />
      )}
      {open !== undefined && 'wish' in open && (
        <EndProcessDialog
          agent={agent}
          process={open.process}
          wish={open.wish}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open !== undefined && 'what' in open && (
        <PriorityDialog agent={agent} process={open.process} onClose={() => setOpen(undefined)} />
      )}
    </div>
  )
}

function menuOf(process: Process, setOpen: (open: Open) => void): MenuEntry[] {
  const end = (force: boolean, tree: boolean) => () => setOpen({ process, wish: { force, tree } })
  return [
    { id: 'end', label: 'End', icon: IconHandStop, shortcut: 'Enter', run: end(false, false) },
    { id: 'end-tree', label: 'End with all it has started', icon: IconHandStop, run: end(false, true) },
    divider('force'),
    { id: 'kill', label: 'Kill', icon: IconSkull, danger: true, run: end(true, false) },
    {
      id: 'kill-tree',
      label: 'Kill with all it has started',
      icon: IconSkull,
      danger: true,
      run: end(true, true),
    },
    divider('other'),
    {
      id: 'priority',
      label: 'Priority',
      icon: IconAdjustments,
      run: () => setOpen({ process, what: 'priority' }),
    },
  ]
}

/** The lines in the order in which they were when the view began to be held. */
function useHeldLines(lines: ProcessLine[], heldView: string | undefined): ProcessLine[] {
  const [held, setHeld] = useState<{ view: string; keys: string[] }>()
  if (held?.view !== heldView)
    setHeld(heldView === undefined ? undefined : { view: heldView, keys: lines.map(keyOf) })
  return held === undefined || held.view !== heldView ? lines : holdOrder(lines, held.keys)
}
