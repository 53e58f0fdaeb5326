import { useMediaQuery } from '@mantine/hooks'
import type { AgentDetail } from '@muster/contract/api/agents'
import { endProcess, type Process, setPriority } from '@muster/contract/api/processes'
import { IconAdjustments, IconHandStop, IconSkull } from '@tabler/icons-react'
import { use, useMemo, useState } from 'react'
import { Select } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { formatFileSize } from '@muster/rules/text/units'
import { ContextMenu } from '../../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { formatDate } from '../../../ui/layout/date-format.ts'
import { DateFormat } from '../../../ui/layout/date-format-context.ts'
import { divider, type MenuEntry, type Point } from '../../../ui/dialog/menu-entry.ts'
import { FormDialog, FormError } from '../../../app/dialogs/FormDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'
import type { DataCard, DataColumn } from '../../../ui/table/data-column.ts'
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

type Open = { process: Process } & ({ at: Point } | { options: EndOptions } | { what: 'priority' })

/** Rows keep their order while the pointer is over the table, one is selected, or a dialog about one is open. */
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
  const ask = (options: EndOptions) => (line: ProcessLine) => setOpen({ process: line.process, options })
  return (
    <div className="pane" onPointerEnter={() => setOver(true)} onPointerLeave={() => setOver(false)}>
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
        empty={<EmptyState message="No processes match the search." />}
      />
      {open !== undefined && (
        <ContextMenu
          label={`Process ${open.process.name}`}
          at={'at' in open ? open.at : undefined}
          entries={menuOf(open.process, setOpen)}
          onClose={() => setOpen((now) => (now !== undefined && 'at' in now ? undefined : now))}
        />
      )}
      {open !== undefined && 'options' in open && (
        <EndProcessDialog
          agent={agent}
          process={open.process}
          options={open.options}
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
  const end = (force: boolean, tree: boolean) => () => setOpen({ process, options: { force, tree } })
  return [
    { id: 'end', label: 'End process', icon: IconHandStop, shortcut: 'Enter', run: end(false, false) },
    { id: 'end-tree', label: 'End process tree', icon: IconHandStop, run: end(false, true) },
    divider('force'),
    { id: 'kill', label: 'Kill process', icon: IconSkull, danger: true, run: end(true, false) },
    {
      id: 'kill-tree',
      label: 'Kill process tree',
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

/** The lines in the order from when the order was frozen. */
function useHeldLines(lines: ProcessLine[], heldView: string | undefined): ProcessLine[] {
  const [held, setHeld] = useState<{ view: string; keys: string[] }>()
  if (held?.view !== heldView)
    setHeld(heldView === undefined ? undefined : { view: heldView, keys: lines.map(keyOf) })
  return held === undefined || held.view !== heldView ? lines : holdOrder(lines, held.keys)
}

const LEVELS = [
  { value: '-14', label: 'High (-14)' },
  { value: '-7', label: 'Above normal (-7)' },
  { value: '0', label: 'Normal (0)' },
  { value: '10', label: 'Below normal (10)' },
  { value: '19', label: 'Idle (19)' },
]

interface PriorityDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  process: Process
  onClose: () => void
}

/** Priority of a process, in the five classes that every system has. */
function PriorityDialog({ agent, process, onClose }: PriorityDialogProps) {
  const { name, pid, start } = process
  const now = `${process.nice ?? 0}`
  const form = useForm({ initialValues: { nice: now } })
  const choices = LEVELS.some(({ value }) => value === now)
    ? LEVELS
    : [{ value: now, label: `Current (${now})` }, ...LEVELS]
  return (
    <FormDialog
      title={`Priority of ${name} on ${agent.hostname}`}
      form={form}
      save={({ nice }) =>
        call(setPriority, {
          params: { agent_id: agent.agent_id, pid },
          body: { start, nice: Number(nice) },
        })
      }
      done={`Priority of ${name} changed.`}
      onClose={onClose}
      size="sm"
    >
      <Select
        label="Priority"
        data={choices}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('nice')}
      />
    </FormDialog>
  )
}

interface EndOptions {
  force: boolean
  tree: boolean
}

interface EndProcessDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  process: Process
  options: EndOptions
  onClose: () => void
}

/** Names the process and the machine; shows in place if the process continues. */
function EndProcessDialog({ agent, process, options, onClose }: EndProcessDialogProps) {
  const { name, pid, start, username } = process
  const [left, setLeft] = useState<number>()
  const force = options.force || left !== undefined
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const query = { start, force: force ? 'true' : 'false', tree: options.tree ? 'true' : 'false' } as const
      return call(endProcess, { params: { agent_id: agent.agent_id, pid }, query })
    },
    meta: { errorsShown: true },
    onSuccess: (answer) => {
      if (answer.left.length > 0) return setLeft(answer.left.length)
      notifyDone(answer.ended > 1 ? `${name} and ${answer.ended - 1} more ended.` : `${name} ended.`)
      onClose()
      return undefined
    },
  })
  const verb = force ? 'Kill' : 'End'
  return (
    <ConfirmDialog
      title={`${verb} ${name} on ${agent.hostname}?`}
      message={
        <>
          {error !== null && <FormError error={error} />}
          {left !== undefined && (
            <p role="alert">
              {left === 1 && !options.tree
                ? `${name} did not end. You can kill it.`
                : `${left} processes did not end. You can kill them.`}
            </p>
          )}
          <p>
            Process {pid} of {username || 'an unknown user'}
            {options.tree && ', with its child processes'}.{' '}
            {force ? 'Ends at once. Unsaved work is lost.' : 'The process can save its work first.'}
          </p>
        </>
      }
      confirmLabel={verb}
      danger
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}

interface ProcessContext {
  formatDate: (instant: string) => string
}

const STATES: Partial<Record<ProcessLine['process']['state'], string>> = {
  waiting: 'waiting for disk',
  stopped: 'stopped',
  ended: 'ended',
}

const PROCESS_COLUMNS: readonly DataColumn<ProcessLine, ProcessContext>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(150px, 1.2fr)',
    sortable: true,
    render: (line) => <Name line={line} />,
  },
  {
    id: 'pid',
    title: 'PID',
    width: '80px',
    numeric: true,
    sortable: true,
    render: ({ process }) => process.pid,
  },
  {
    id: 'user',
    title: 'User',
    width: 'minmax(80px, 0.6fr)',
    sortable: true,
    render: ({ process }) => process.username,
  },
  {
    id: 'cpu',
    title: 'CPU',
    width: '72px',
    numeric: true,
    sortable: true,
    render: ({ process }) => `${process.cpu_percent.toFixed(1)} %`,
  },
  {
    id: 'memory',
    title: 'Memory',
    width: '96px',
    numeric: true,
    sortable: true,
    render: ({ process }) => formatFileSize(process.membytes),
  },
  {
    id: 'ports',
    title: 'Ports',
    width: 'minmax(64px, 0.5fr)',
    sortable: true,
    render: ({ process }) => <Ports process={process} />,
  },
  {
    id: 'command',
    title: 'Command line',
    width: 'minmax(160px, 2fr)',
    render: ({ process }) => (
      <span className="mono" data-tip={process.command}>
        {process.command}
      </span>
    ),
  },
  {
    id: 'nice',
    title: 'Priority',
    width: '76px',
    numeric: true,
    sortable: true,
    render: ({ process }) => process.nice ?? '–',
  },
  {
    id: 'started',
    title: 'Started',
    width: '168px',
    sortable: true,
    render: ({ process }, { formatDate }) => (
      <span className="dim">{process.started_at === null ? '–' : formatDate(process.started_at)}</span>
    ),
  },
]

const PROCESS_COLUMNS_PX = 980

const PROCESS_CARD: DataCard<ProcessLine, ProcessContext> = {
  height: 61,
  render: (line) => (
    <>
      <div className="cardLine">
        <Name line={line} />
        <span className="numbers">
          {line.process.cpu_percent.toFixed(1)} % · {formatFileSize(line.process.membytes)}
        </span>
      </div>
      <div className="cardLine dim">
        <span className="mono cut">{line.process.command}</span>
        <span>
          {line.process.username} · {line.process.pid}
        </span>
      </div>
    </>
  ),
}

function Name({ line: { process, depth } }: { line: ProcessLine }) {
  const state = STATES[process.state]
  return (
    <span className="cut" style={{ paddingInlineStart: Math.min(depth, 12) * 14 }}>
      {process.name}
      {state !== undefined && <span className="dim"> · {state}</span>}
    </span>
  )
}

function Ports({ process: { ports } }: Pick<ProcessLine, 'process'>) {
  const addresses = ports.map(({ protocol, address, port }) => `${protocol} ${address}:${port}`).join('\n')
  return <span data-tip={addresses}>{[...new Set(ports.map(({ port }) => port))].join(', ')}</span>
}
