import { ActionIcon } from '@mantine/core'
import type { Policy } from '@muster/contract/api/policies'
import { IconCircleCheck, IconCircleDashed, IconDots } from '@tabler/icons-react'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import classes from './Policies.module.css'
import { countMachines, describeTarget } from './policy-labels.ts'

export interface PolicyContext {
  format: (instant: string) => string
  openMenu: (policy: Policy, at: Point) => void
}

export const POLICY_COLUMNS_PX = 1012

export const POLICY_COLUMNS: readonly DataColumn<Policy, PolicyContext>[] = [
  { id: 'state', title: 'State', width: '104px', render: (policy) => <State policy={policy} /> },
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(180px, 2fr)',
    render: (policy) => <Name policy={policy} />,
  },
  {
    id: 'targets',
    title: 'Assigned to',
    width: 'minmax(180px, 2fr)',
    render: (policy) => {
      const words = describeTargets(policy)
      return (
        <bdi className={words === '' ? 'dim' : ''} data-tip={words}>
          {words === '' ? 'not assigned' : words}
        </bdi>
      )
    },
  },
  { id: 'content', title: 'Content', width: '200px', render: (policy) => describeContent(policy) },
  {
    id: 'agents_count',
    title: 'Machines',
    width: '92px',
    watch: ({ agents_count }) => agents_count,
    render: ({ agents_count }) => agents_count,
  },
  {
    id: 'modified',
    title: 'Changed',
    width: '190px',
    render: ({ modified, modified_by }, { format }) => (
      <span className="dim" data-tip={`${modified_by}\n${modified}`}>
        {format(modified)}
      </span>
    ),
  },
  {
    id: 'menu',
    title: 'Actions',
    titleHidden: true,
    width: '40px',
    render: (policy, { openMenu }) => <MenuButton policy={policy} onOpen={openMenu} />,
  },
]

export const POLICY_CARD: DataCard<Policy, PolicyContext> = {
  height: 83,
  render: (policy, { openMenu }) => (
    <>
      <div className="cardLine">
        <span className="cut">
          <Name policy={policy} />
        </span>
        <MenuButton policy={policy} onOpen={openMenu} />
      </div>
      <div className="cardLine">
        <State policy={policy} />
        <span className="dim">{countMachines(policy.agents_count)}</span>
      </div>
      <div className="cardLine dim">
        <bdi className="cut">{describeTargets(policy)}</bdi>
      </div>
    </>
  ),
}

function State({ policy: { active } }: { policy: Policy }) {
  const Icon = active ? IconCircleCheck : IconCircleDashed
  return (
    <span className={`icon-text ${active ? '' : 'dim'}`}>
      <Icon size={16} stroke={1.75} aria-hidden />
      {active ? 'active' : 'inactive'}
    </span>
  )
}

function Name({ policy: { name, enforced, desc } }: { policy: Policy }) {
  return (
    <span {...(desc === '' ? {} : { 'data-tip': desc })}>
      <bdi className="strong">{name}</bdi>
      {enforced && <span className={classes.chip}>enforced</span>}
    </span>
  )
}

/** `all machines, Nordwind (servers)`. */
function describeTargets({ targets, names }: Policy): string {
  const known = { client: names.clients, site: names.sites, agent: names.agents }
  const listed = targets.slice(0, 20).map((target) =>
    describeTarget(target, (one) => {
      if (one.level === 'default') return 'all machines'
      if (one.level === 'search') return one.search
      return known[one.level].find(({ id }) => id === one.id)?.name ?? one.level
    }),
  )
  return [...listed, ...(targets.length > 20 ? [`${targets.length - 20} more`] : [])].join(', ')
}

function describeContent({ content }: Policy): string {
  const { checks, tasks, agent_settings, alert_template, patches, software } = content
  const settings = Object.values(agent_settings).filter((value) => value !== null).length
  const parts = [
    ...(checks.length > 0 ? [`${checks.length} ${checks.length === 1 ? 'check' : 'checks'}`] : []),
    ...(tasks.length > 0 ? [`${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`] : []),
    ...(settings > 0 ? [`${settings} ${settings === 1 ? 'setting' : 'settings'}`] : []),
    ...(alert_template === null ? [] : ['alert template']),
    ...(Object.values(patches).every((part) => part === null) ? [] : ['patches']),
    ...(software.length > 0 ? [`${software.length} ${software.length === 1 ? 'package' : 'packages'}`] : []),
  ]
  return parts.length === 0 ? 'empty' : parts.join(', ')
}

// The keyboard opens the same menu with the menu key.
function MenuButton({ policy, onOpen }: { policy: Policy; onOpen: PolicyContext['openMenu'] }) {
  return (
    <ActionIcon
      size="sm"
      tabIndex={-1}
      aria-label={`Actions on ${policy.name}`}
      onClick={(event) => {
        event.stopPropagation()
        const { left, bottom } = event.currentTarget.getBoundingClientRect()
        onOpen(policy, { x: left, y: bottom })
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <IconDots size={16} stroke={1.75} aria-hidden />
    </ActionIcon>
  )
}
