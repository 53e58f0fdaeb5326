import { ActionIcon, Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  deleteMaintenanceWindow,
  endMaintenanceWindow,
  listMaintenanceWindows,
  type MaintenanceWindow,
} from '@muster/contract/api/maintenance'
import {
  IconCalendarClock,
  IconCheck,
  IconDots,
  IconPencil,
  IconPlayerStop,
  IconPlus,
  IconTool,
} from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, use, useMemo, useState } from 'react'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { formatDate } from '../../ui/layout/date-format.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import type { MenuEntry, Point } from '../../ui/dialog/menu-entry.ts'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { ListPage, useFind } from '../../app/shell/ListPage.tsx'
import { removeAction, unlessAllowed } from '../../app/shell/row-actions.ts'
import { SearchField } from '../../ui/inputs/SearchField.tsx'
import list from '../../ui/layout/ListPane.module.css'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import classes from './Maintenance.module.css'
import { describeState, describeTargets, findWindows, sortWindows, stateOf } from './window-state.ts'
import { windowsQuery } from './target-choices.ts'
import { describeSchedule } from './schedule-labels.ts'

const TITLE = 'Maintenance windows'
const REFUSED = 'Your role does not allow you to see maintenance windows.'
const ROW_PX = 32
const TABLE_PX = 1080

/** All visible maintenance windows: active, planned and ended. The address holds the search. */
export function MaintenancePage() {
  const { open } = useDialog()
  const mayEdit = useMay('can_edit_agent')
  const plan = () => open('maintenance')
  return (
    <ListPage
      title={TITLE}
      needs="can_list_agents"
      refused={REFUSED}
      actions={
        mayEdit && (
          <Button leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />} onClick={plan}>
            Plan maintenance
          </Button>
        )
      }
    >
      <Windows onPlan={plan} />
    </ListPage>
  )
}

function Windows({ onPlan }: { onPlan: () => void }) {
  const [find, setFind] = useFind()
  const { data: windows, error, refetch } = useQuery(windowsQuery)
  const [removed, setRemoved] = useState<MaintenanceWindow>()
  const actions = useWindowActions(setRemoved)
  return (
    <div className="pane">
      <div className={list.tools}>
        <SearchField
          label="Search maintenance windows"
          placeholder="Target, schedule, reason or user"
          value={find}
          onSearch={setFind}
          className={list.search}
        />
        <span className={list.sums} role="status">
          {windows !== undefined && describeActive(windows)}
        </span>
      </div>
      {windows === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
      ) : (
        <WindowTable
          windows={findWindows(windows, find)}
          actions={actions}
          empty={
            windows.length === 0 ? (
              <EmptyState message="No maintenance planned. Alerts are on at all times.">
                {actions.mayEdit && <Button onClick={onPlan}>Plan first maintenance</Button>}
              </EmptyState>
            ) : (
              <EmptyState message="No maintenance windows match the search.">
                <Button variant="default" onClick={() => setFind('')}>
                  Clear search
                </Button>
              </EmptyState>
            )
          }
        />
      )}
      {removed !== undefined && <RemoveWindowDialog window={removed} onClose={() => setRemoved(undefined)} />}
    </div>
  )
}

interface WindowTableProps {
  windows: readonly MaintenanceWindow[]
  actions: ReturnType<typeof useWindowActions>
  empty: ReactNode
}

function WindowTable({ windows, actions, empty }: WindowTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ id: number; at: Point }>()
  const format = use(DateFormat)
  const context = useMemo<WindowContext>(
    () => ({
      format: (instant) => formatDate(instant, format),
      openMenu: ({ id }, at) => {
        setSelected(`${id}`)
        setMenu({ id, at })
      },
    }),
    [format],
  )
  const rows = useMemo(() => sortWindows(windows), [windows])
  const asked = rows.find(({ id }) => id === menu?.id)
  return (
    <div className={classes.table}>
      <DataTable
        label={TITLE}
        rows={rows}
        rowKey={({ id }) => `${id}`}
        columns={WINDOW_COLUMNS}
        context={context}
        rowHeight={ROW_PX}
        minWidth={TABLE_PX}
        selected={selected}
        onSelect={(row) => setSelected(row && `${row.id}`)}
        {...(hasCards ? { onClickRow: actions.edit } : {})}
        onOpen={actions.edit}
        onDoubleClick={actions.edit}
        onMenu={({ id }, at) => setMenu({ id, at })}
        card={hasCards ? WINDOW_CARD : undefined}
        empty={empty}
        autoFocus
      />
      {menu !== undefined && asked !== undefined && (
        <ContextMenu
          label={`Actions on the maintenance of ${asked.targets[0]?.name ?? 'nothing'}`}
          at={menu.at}
          entries={actions.menuOf(asked)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}

function describeActive(windows: readonly MaintenanceWindow[]): string {
  const many = windows.filter(({ active }) => active).length
  return many === 0 ? 'None active' : `${many} of ${windows.length} active`
}

/** Asks before a window is deleted. */
function RemoveWindowDialog({ window, onClose }: { window: MaintenanceWindow; onClose: () => void }) {
  return (
    <RemoveDialog
      title="Delete the maintenance window?"
      message={
        <>
          {`Deletes the maintenance of ${describeTargets(window)}.`}
          {window.active && ' Active now: its alerts are turned on at once.'}
        </>
      }
      remove={() => call(deleteMaintenanceWindow, { params: { id: window.id } })}
      done="Maintenance window deleted."
      stale={queryKey(listMaintenanceWindows)}
      onClose={onClose}
    />
  )
}

/** The actions of a window in the list. */
function useWindowActions(onRemove: (window: MaintenanceWindow) => void) {
  const mayEdit = useMay('can_edit_agent')
  const { open } = useDialog()
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: ({ id }: MaintenanceWindow) => call(endMaintenanceWindow, { params: { id } }),
    onSuccess: (window) => {
      notifyDone(`Maintenance of ${describeTargets(window)} ended.`)
      void queryClient.invalidateQueries({ queryKey: queryKey(listMaintenanceWindows) })
    },
  })
  const refused = unlessAllowed(mayEdit)
  const menuOf = (window: MaintenanceWindow): MenuEntry[] => [
    {
      id: 'edit',
      label: 'Edit',
      icon: IconPencil,
      shortcut: 'Enter',
      disabledReason: refused,
      run: () => open('edit-maintenance', window.id),
    },
    {
      id: 'end',
      label: 'End now',
      icon: IconPlayerStop,
      note: window.active && window.next_start !== null ? 'Starts again at its next time' : undefined,
      disabledReason: refused ?? (window.active ? undefined : 'Not active now.'),
      run: () => end.mutate(window),
    },
    ...removeAction({ disabledReason: refused, run: () => onRemove(window) }),
  ]
  return { mayEdit, menuOf, edit: ({ id }: MaintenanceWindow) => mayEdit && open('edit-maintenance', id) }
}

interface WindowContext {
  format: (instant: string) => string
  openMenu: (window: MaintenanceWindow, at: Point) => void
}

const STATE_ICONS = { on: IconTool, planned: IconCalendarClock, over: IconCheck }

const WINDOW_COLUMNS: readonly DataColumn<MaintenanceWindow, WindowContext>[] = [
  {
    id: 'state',
    title: 'State',
    width: '260px',
    watch: ({ active }) => active,
    render: (window, { format }) => <State window={window} format={format} />,
  },
  {
    id: 'targets',
    title: 'Targets',
    width: 'minmax(160px, 1fr)',
    render: (window) => <Targets window={window} />,
  },
  {
    id: 'agent_count',
    title: 'Machines',
    width: '84px',
    render: ({ agent_count: count }) => count,
  },
  {
    id: 'schedule',
    title: 'When',
    width: 'minmax(220px, 1.6fr)',
    render: ({ schedule }) => <span data-tip={describeSchedule(schedule)}>{describeSchedule(schedule)}</span>,
  },
  {
    id: 'reason',
    title: 'Reason',
    width: 'minmax(120px, 1fr)',
    render: ({ reason }) => (
      <bdi className="dim" {...(reason === '' ? {} : { 'data-tip': reason })}>
        {reason}
      </bdi>
    ),
  },
  { id: 'created_by', title: 'By', width: '110px', render: ({ created_by: name }) => <bdi>{name}</bdi> },
  {
    id: 'menu',
    title: 'Actions',
    titleHidden: true,
    width: '40px',
    render: (window, { openMenu }) => <MenuButton window={window} onOpen={openMenu} />,
  },
]

const WINDOW_CARD: DataCard<MaintenanceWindow, WindowContext> = {
  height: 83,
  render: (window, { format, openMenu }) => (
    <>
      <div className="cardLine">
        <span className="cut">
          <Targets window={window} />
        </span>
        <MenuButton window={window} onOpen={openMenu} />
      </div>
      <div className="cardLine">
        <State window={window} format={format} />
        <span className="dim">
          {window.agent_count} {window.agent_count === 1 ? 'machine' : 'machines'}
        </span>
      </div>
      <div className="cardLine dim">
        <span className="cut">{describeSchedule(window.schedule)}</span>
      </div>
    </>
  ),
}

function State({ window, format }: { window: MaintenanceWindow; format: WindowContext['format'] }) {
  const state = stateOf(window)
  const Icon = STATE_ICONS[state]
  return (
    <span className={`icon-text ${state === 'over' ? 'dim' : ''}`}>
      <Icon size={16} stroke={1.75} aria-hidden className={state === 'on' ? classes.active : 'dim'} />
      {describeState(window, format)}
    </span>
  )
}

function Targets({ window }: { window: MaintenanceWindow }) {
  const names = window.targets.slice(0, 20).map(({ name }) => name)
  return (
    <bdi className="strong" {...(names.length > 1 ? { 'data-tip': names.join('\n') } : {})}>
      {describeTargets(window)}
    </bdi>
  )
}

// The keyboard opens the same menu with the menu key.
function MenuButton({ window, onOpen }: { window: MaintenanceWindow; onOpen: WindowContext['openMenu'] }) {
  return (
    <ActionIcon
      size="sm"
      tabIndex={-1}
      aria-label={`Actions on ${describeTargets(window)}`}
      onClick={(event) => {
        event.stopPropagation()
        const { left, bottom } = event.currentTarget.getBoundingClientRect()
        onOpen(window, { x: left, y: bottom })
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <IconDots size={16} stroke={1.75} aria-hidden />
    </ActionIcon>
  )
}
