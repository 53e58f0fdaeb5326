import { Button, Tooltip } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { type Check, listAgentChecks } from '@muster/contract/api/checks'
import { formatShortAge } from '@muster/rules/text/units'
import { nameCheck } from '@muster/rules/checks/check-name'
import { IconChecks } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../../app/api/api.ts'
import { useMay } from '../../../app/api/queries.ts'
import { useDialog } from '../../../app/dialogs/use-dialog.ts'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { useNow } from '../../../ui/layout/use-now.ts'
import { SeverityMark } from '../../alerts/SeverityMark.tsx'
import { countChecks } from '../../checks/check-labels.ts'
import { usePane } from '../use-pane.ts'
import { describeThreshold, findFailing, severityOf } from './failing-checks.ts'
import classes from './FailingChecks.module.css'
import section from '../../../ui/layout/Section.module.css'
import { Section } from '../../../ui/layout/Section.tsx'
import { type FittingAction, useFittingActions } from './use-fitting-actions.ts'

const TICK_MS = 10_000

/** The checks of a machine, live; the same response as the Checks tab. */
export function useMachineChecks({ agent_id }: Pick<AgentDetail, 'agent_id'>) {
  const mayList = useMay('can_list_checks')
  return useQuery({ ...query(listAgentChecks, { params: { agent_id }, query: {} }), enabled: mayList })
}

/** Each failing check with its value, its threshold, and the actions that fit it. */
export function FailingChecks({ agent }: { agent: AgentDetail }) {
  const mayList = useMay('can_list_checks')
  const { data, error, refetch } = useMachineChecks(agent)
  const { setPane } = usePane()
  const nowMs = useNow(TICK_MS)
  if (!mayList) return null
  const checks = data?.filter(({ overridden_by_policy: isOverridden }) => !isOverridden) ?? []
  const failing = findFailing(checks, nowMs)
  return (
    <Section
      title={failing.length > 0 ? 'Failing checks' : 'Checks'}
      note={failing.length > 0 ? `${failing.length} of ${checks.length}` : undefined}
      tools={
        checks.length > 0 && (
          <button type="button" className={section.link} onClick={() => setPane('checks')}>
            All checks
          </button>
        )
      }
    >
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={1} />
      ) : checks.length === 0 ? (
        <NoChecks agent={agent} />
      ) : failing.length === 0 ? (
        <Passing checks={checks} nowMs={nowMs} />
      ) : (
        <FailingList agent={agent} failing={failing} nowMs={nowMs} />
      )}
    </Section>
  )
}

function NoChecks({ agent }: { agent: AgentDetail }) {
  const mayAssign = useMay('can_manage_automation_policies')
  const { open } = useDialog()
  return (
    <p className={classes.line}>
      <span>No checks yet.</span>
      {mayAssign && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => open('assign-policies', `agent-${agent.agent_id}`)}
        >
          Assign policy
        </Button>
      )}
    </p>
  )
}

function Passing({ checks, nowMs }: { checks: readonly Check[]; nowMs: number }) {
  const counted = countChecks(checks, nowMs)
  const allPass = counted === `${checks.length} passing`
  return (
    <p className={classes.line} data-tone={allPass ? 'positive' : 'dim'}>
      <IconChecks size={16} stroke={1.75} aria-hidden className="tone-icon" />
      {!allPass
        ? `No check fails: ${counted}.`
        : checks.length === 1
          ? 'The check passes.'
          : `All ${checks.length} checks pass.`}
    </p>
  )
}

interface FailingListProps {
  agent: AgentDetail
  failing: readonly Check[]
  nowMs: number
}

function FailingList({ agent, failing, nowMs }: FailingListProps) {
  const { open } = useDialog()
  const actionsOf = useFittingActions(agent)
  return (
    <div className={classes.table}>
      <div className={classes.titles} aria-hidden>
        <span>Check</span>
        <span>Value</span>
        <span>Threshold</span>
        <span>Since</span>
      </div>
      <ul className={classes.list}>
        {failing.map((check) => {
          const { more_info, failing_since } = check.check_result
          return (
            <li key={check.id} className={classes.row}>
              <span className={classes.name}>
                <SeverityMark severity={severityOf(check)} shapeOnly />
                <button
                  type="button"
                  className={`${section.word} ${classes.check}`}
                  onClick={() => open('check-history', check.id)}
                >
                  <bdi>{nameCheck(check)}</bdi>
                </button>
              </span>
              <bdi className={classes.value} data-severity={severityOf(check)}>
                {more_info === '' ? '–' : more_info}
              </bdi>
              <span className={classes.threshold}>{describeThreshold(check)}</span>
              <span className={classes.since}>
                {failing_since !== null && (
                  <>
                    <span className="read-only-aloud">for </span>
                    {formatShortAge(Math.max(0, nowMs - Date.parse(failing_since)))}
                  </>
                )}
              </span>
              <span className={classes.actions}>
                {actionsOf(check).map((action) => (
                  <ActionButton key={action.id} action={action} of={nameCheck(check)} />
                ))}
              </span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function ActionButton({ action, of }: { action: FittingAction; of: string }) {
  const { label, icon: ActionIcon, reason, isBusy, run } = action
  return (
    <Tooltip label={reason} disabled={reason === undefined}>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<ActionIcon size={14} stroke={1.75} aria-hidden />}
        aria-label={`${label}: ${of}`}
        loading={isBusy}
        // Focusable although disabled, so that the reason can be read.
        {...(reason === undefined ? {} : { 'data-disabled': true, 'aria-disabled': true })}
        onClick={() => reason === undefined && run()}
      >
        {label}
      </Button>
    </Tooltip>
  )
}
