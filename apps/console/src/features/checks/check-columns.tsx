import { ActionIcon } from '@mantine/core'
import type { Check } from '@muster/contract/api/checks'
import { formatRelativeTime } from '@muster/rules/text/units'
import { describeCheck, nameCheck } from '@muster/rules/checks/check-name'
import { IconDots, IconLink } from '@tabler/icons-react'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { PolicyMark } from '../policies/PolicyMark.tsx'
import { CheckStatus } from './CheckStatus.tsx'
import classes from './ChecksPane.module.css'
import { dependencyName, describeInterval } from './check-labels.ts'

export interface CheckContext {
  nowMs: number
  /** Seconds between the runs of a check without its own interval. */
  usualSeconds: number
  formatExact: (instant: string) => string
  openMenu: (check: Check, at: Point) => void
  /** Shows where the check comes from; absent where the role may not see policies. */
  explain?: (check: Check) => void
}

export const CHECK_COLUMNS_PX = 760

export const CHECK_COLUMNS: readonly DataColumn<Check, CheckContext>[] = [
  {
    id: 'status',
    title: 'Status',
    width: '156px',
    render: (check) => <Status check={check} />,
    watch: ({ check_result: { status, alert_severity } }) => `${status} ${alert_severity}`,
  },
  {
    id: 'description',
    title: 'Description',
    width: 'minmax(160px, 2fr)',
    // The tooltip has the thresholds: they are too long for a column.
    render: (check, context) => (
      <span className={classes.described}>
        <Mark check={check} context={context} />
        <DependencyMark check={check} />
        <bdi
          className={classes.name}
          data-tip={describeCheck(check)}
          data-resting={check.overridden_by_policy}
        >
          {nameCheck(check)}
        </bdi>
      </span>
    ),
  },
  {
    id: 'more_info',
    title: 'More info',
    width: 'minmax(160px, 3fr)',
    render: ({ check_result: { more_info } }) => <bdi>{more_info === '' ? '–' : more_info}</bdi>,
  },
  {
    id: 'last_run',
    title: 'Last run',
    width: '128px',
    render: (check, context) => <LastRun check={check} context={context} />,
  },
  {
    id: 'interval',
    title: 'Interval',
    width: '88px',
    render: (check, { usualSeconds }) => <span className="dim">{describeInterval(check, usualSeconds)}</span>,
  },
  {
    id: 'menu',
    title: 'Actions',
    titleHidden: true,
    width: '40px',
    render: (check, { openMenu }) => <MenuButton check={check} onOpen={openMenu} />,
  },
]

export const CHECK_CARD: DataCard<Check, CheckContext> = {
  height: 61,
  render: (check, context) => (
    <>
      <div className="cardLine">
        <span className={classes.described}>
          <Mark check={check} context={context} />
          <DependencyMark check={check} />
          <bdi className={`cut ${classes.name}`} data-resting={check.overridden_by_policy}>
            {nameCheck(check)}
          </bdi>
        </span>
        <span className="fixed-row">
          <Status check={check} />
          <MenuButton check={check} onOpen={context.openMenu} />
        </span>
      </div>
      <div className="cardLine dim">
        <bdi className="cut">{check.check_result.more_info}</bdi>
        <span className="fixed-row">
          <LastRun check={check} context={context} />
        </span>
      </div>
    </>
  ),
}

function Status({ check }: { check: Check }) {
  if (check.overridden_by_policy) return <span className="dim">overridden</span>
  return <CheckStatus state={check.check_result} />
}

function Mark({ check, context: { explain } }: { check: Check; context: CheckContext }) {
  return (
    <PolicyMark
      noun="check"
      item={check}
      className={classes.action ?? ''}
      explain={explain && (() => explain(check))}
    />
  )
}

/** That it depends on another check, and whether its alert is suppressed for that. */
function DependencyMark({ check: { depends_on, dependency, check_result } }: { check: Check }) {
  if (depends_on === null) return null
  const name = dependency === null ? 'a check that you may not see' : dependencyName(dependency)
  const isBlocked = dependency?.status === 'failing'
  const more = !isBlocked
    ? ''
    : check_result.status === 'failing'
      ? ', which is failing: alerts are suppressed'
      : ', which is failing'
  return (
    <span
      role="img"
      aria-label={`Depends on ${name}${more}`}
      data-tip={`Depends on ${name}${more}`}
      data-blocked={isBlocked}
      className={classes.depends}
    >
      <IconLink size={16} stroke={1.75} aria-hidden />
    </span>
  )
}

function LastRun({ check: { check_result }, context }: { check: Check; context: CheckContext }) {
  const { last_run } = check_result
  if (last_run === null) return <span className="dim">never</span>
  return (
    <time dateTime={last_run} className="dim" data-tip={context.formatExact(last_run)}>
      {formatRelativeTime(last_run, Math.max(context.nowMs, Date.parse(last_run)))}
    </time>
  )
}

// The keyboard opens the same menu with the menu key.
function MenuButton({ check, onOpen }: { check: Check; onOpen: CheckContext['openMenu'] }) {
  return (
    <ActionIcon
      size="sm"
      className={classes.action ?? ''}
      tabIndex={-1}
      aria-label={`Actions on ${nameCheck(check)}`}
      onClick={(event) => {
        event.stopPropagation()
        const { left, bottom } = event.currentTarget.getBoundingClientRect()
        onOpen(check, { x: left, y: bottom })
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <IconDots size={16} stroke={1.75} aria-hidden />
    </ActionIcon>
  )
}
