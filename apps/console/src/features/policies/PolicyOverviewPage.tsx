import { Checkbox } from '@mantine/core'
import { getPolicyOverview, listAssignedPolicies, type Policy } from '@muster/contract/api/policies'
import type { AssignedPolicies, PolicyOverview } from '@muster/contract/policies/assigned-policies'
import {
  IconBuilding,
  IconBuildingCommunity,
  IconDeviceDesktop,
  IconSearch,
  IconShieldCheck,
  IconShieldPlus,
  IconWorld,
} from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { policiesQuery } from './policies-query.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { unlessAllowed } from '../../app/shell/row-actions.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { usePageTitle } from '../../app/shell/page-title.ts'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { Tree } from '../../ui/table/Tree.tsx'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { OverviewDetail } from './OverviewDetail.tsx'
import policyClasses from './Policies.module.css'
import classes from './PolicyOverview.module.css'
import { listOverview, type OverviewLine, type AssignmentLevel } from './overview-lines.ts'

const REFUSED = 'Your role does not allow you to see policies.'
const EVERYWHERE = { level: 'default', id: 'all' } as const

/** The assignments of all locations, and the status of the selected policy's checks and tasks. */
export function PolicyOverviewPage() {
  usePageTitle('Policy overview')
  const pane = { needs: 'can_list_automation_policies', refused: REFUSED, rows: 8 } as const
  const clients = useQueryPane(query(getPolicyOverview, {}), pane)
  const everywhere = useQueryPane(query(listAssignedPolicies, { params: EVERYWHERE }), pane)
  const policies = useQueryPane(policiesQuery, pane)
  const asked = [clients, everywhere, policies]
  const refused = asked.find(({ isRefused }) => isRefused)
  if (refused !== undefined) return refused.instead
  const [a, b, c] = [clients.data, everywhere.data, policies.data]
  return (
    <div className="pane">
      <header className={policyClasses.head}>
        <h1 className={policyClasses.title}>
          <Link to="/policies">Policies</Link> / Overview
        </h1>
      </header>
      {a === undefined || b === undefined || c === undefined ? (
        asked.find(({ data }) => data === undefined)?.instead
      ) : (
        <Overview data={{ clients: a, everywhere: b.policies, policies: c }} />
      )}
    </div>
  )
}

interface OverviewProps {
  data: { clients: PolicyOverview; everywhere: AssignedPolicies['policies']; policies: readonly Policy[] }
}

function Overview({ data }: OverviewProps) {
  const { at } = useSearch({ from: '/signed-in/gated/frame/policies/overview' })
  const navigate = useNavigate()
  const mayManage = useMay('can_manage_automation_policies')
  const { open } = useDialog()
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [showEmpty, setShowEmpty] = useState(false)
  const [menu, setMenu] = useState<{ line: OverviewLine; at: Point }>()
  const lines = useMemo(
    () => listOverview(data, { isOpen: (id) => !closed.has(id), showEmpty }),
    [data, closed, showEmpty],
  )
  const toggle = (ids: readonly string[], expanded: boolean) =>
    setClosed(expanded ? closed.difference(new Set(ids)) : closed.union(new Set(ids)))
  const chosen = lines.find((line) => line.id === at && line.kind === 'policy')
  const policy = chosen?.kind === 'policy' ? data.policies.find(({ id }) => id === chosen.policy) : undefined
  return (
    <div className={classes.panes}>
      <div className={classes.places}>
        {lines.length === 0 ? (
          <EmptyState message="No policies assigned yet.">
            <Link to="/policies">Go to policies</Link>
          </EmptyState>
        ) : (
          <Tree
            label="Locations and their policies"
            lines={lines}
            selected={at ?? ''}
            onSelect={(line) => {
              if (line.kind === 'target') return toggle([line.id], line.expanded === false)
              void navigate({ to: '.', search: (old) => ({ ...old, at: line.id }), replace: true })
            }}
            onToggle={toggle}
            hasMenu={(line) => line.kind === 'target' && line.assign !== undefined}
            onMenu={(line, point) => setMenu({ line, at: point })}
            renderLine={(line) => <LineContent line={line} />}
          />
        )}
        <div className={classes.tools}>
          <Checkbox
            size="xs"
            label="Show locations without policies"
            checked={showEmpty}
            onChange={(event) => setShowEmpty(event.currentTarget.checked)}
          />
        </div>
      </div>
      {policy === undefined ? (
        <EmptyState message="Choose a policy to see the status of its checks and tasks." />
      ) : (
        <OverviewDetail key={policy.id} policy={policy} />
      )}
      {menu?.line.kind === 'target' && (
        <ContextMenu
          label={`Actions on ${menu.line.label}`}
          at={menu.at}
          entries={[
            {
              id: 'assign',
              label: 'Assign policies',
              icon: IconShieldPlus,
              disabledReason: unlessAllowed(mayManage),
              run: () => menu.line.kind === 'target' && open('assign-policies', menu.line.assign),
            },
          ]}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}

const ICONS: Record<AssignmentLevel, typeof IconWorld> = {
  default: IconWorld,
  client: IconBuilding,
  site: IconBuildingCommunity,
  search: IconSearch,
  agent: IconDeviceDesktop,
}

function LineContent({ line }: { line: OverviewLine }) {
  if (line.kind === 'target') {
    const Icon = ICONS[line.target]
    return (
      <span className={classes.line}>
        <Icon size={16} stroke={1.75} aria-hidden className={classes.icon} />
        <bdi className="cut">{line.label}</bdi>
      </span>
    )
  }
  return (
    <span className={classes.line} data-policy>
      <IconShieldCheck size={16} stroke={1.75} aria-hidden className={classes.icon} />
      <bdi className={line.active ? classes.policy : classes.inactive}>{line.label}</bdi>{' '}
      {line.enforced && <span className={policyClasses.chip}>enforced</span>}{' '}
      {!line.active && <span className={policyClasses.chip}>inactive</span>}{' '}
      <bdi className={classes.note}>{line.note}</bdi>
    </span>
  )
}
