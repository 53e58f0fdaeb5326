import { ActionIcon } from '@mantine/core'
import type { MaintenanceWindow } from '@muster/contract/api/maintenance'
import { IconCalendarClock, IconCheck, IconDots, IconTool } from '@tabler/icons-react'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import classes from './Maintenance.module.css'
import { describeSchedule } from './schedule-words.ts'
import { describeState, describeTargets, stateOf } from './window-state.ts'

export interface WindowContext {
  format: (instant: string) => string
  openMenu: (window: MaintenanceWindow, at: Point) => void
}

const STATE_ICONS = { on: IconTool, planned: IconCalendarClock, over: IconCheck }

export const WINDOW_COLUMNS: readonly DataColumn<MaintenanceWindow, WindowContext>[] = [
  {
    id: 'state',
    title: 'State',
    width: '260px',
    watch: ({ active }) => active,
    render: (window, { format }) => <State window={window} format={format} />,
  },
  {
    id: 'targets',
    title: 'Covers',
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
      <bdi className={classes.dim} {...(reason === '' ? {} : { 'data-tip': reason })}>
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

export const WINDOW_CARD: DataCard<MaintenanceWindow, WindowContext> = {
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
        <span className={classes.dim}>
          {window.agent_count} {window.agent_count === 1 ? 'machine' : 'machines'}
        </span>
      </div>
      <div className={`cardLine ${classes.dim}`}>
        <span className="cut">{describeSchedule(window.schedule)}</span>
      </div>
    </>
  ),
}

function State({ window, format }: { window: MaintenanceWindow; format: WindowContext['format'] }) {
  const state = stateOf(window)
  const Icon = STATE_ICONS[state]
  return (
    <span className={`${classes.state} ${state === 'over' ? classes.dim : ''}`}>
      <Icon size={16} stroke={1.75} aria-hidden className={state === 'on' ? classes.active : classes.dim} />
      {describeState(window, format)}
    </span>
  )
}

function Targets({ window }: { window: MaintenanceWindow }) {
  const names = window.targets.slice(0, 20).map(({ name }) => name)
  return (
    <bdi className={classes.name} {...(names.length > 1 ? { 'data-tip': names.join('\n') } : {})}>
      {describeTargets(window)}
    </bdi>
  )
}

// The keyboard has this in the row's menu, which the menu key opens.
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
