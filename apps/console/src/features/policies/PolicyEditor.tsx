import '@mantine/core/styles/NumberInput.css'
import { Button, Checkbox, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import {
  getPolicy,
  listPolicyRelations,
  type Policy,
  type PolicyDocument,
} from '@muster/contract/api/policies'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { AGENT_SETTINGS, NUMBER_SETTING_NAMES, type NumberSetting } from '@muster/rules/policies/policy-merge'
import { query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { useMay } from '../../app/api/queries.ts'
import { useLeaveQuestion } from '../../app/dialogs/use-leave-question.tsx'
import { ErrorBox } from '../../ui/layout/States.tsx'
import { templatesQuery } from '../alerts/templates/template-form.ts'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { Section } from '../../ui/layout/Section.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import classes from './Policies.module.css'
import { PlanDialog } from './PlanDialog.tsx'
import { PolicyEffect, PolicyFooter, useDraftPlan } from './PolicyEffect.tsx'
import { PolicyChecks } from './PolicyChecks.tsx'
import { PolicyHistory } from './PolicyHistory.tsx'
import { PolicyPatches } from './PolicyPatches.tsx'
import { PolicySoftwareSection } from './PolicySoftwareSection.tsx'
import { PolicyTargets } from './PolicyTargets.tsx'
import { PolicyTasks } from './PolicyTasks.tsx'
import {
  documentOf,
  findDraftProblem,
  isSameDocument,
  namesOf,
  NEW_POLICY,
  type SectionProps,
} from './policy-draft.ts'
import { countMachines, LEVEL_LABELS } from './policy-labels.ts'

/** A policy as a draft: machines change only when the plan that is shown is saved. */
export function PolicyEditor({ policy }: { policy?: Policy }) {
  // The draft keeps its initial values while others change the policy.
  const [opened, setOpened] = useState(policy)
  const [draft, setDraft] = useState<PolicyDocument>(() => documentOf(policy ?? NEW_POLICY))
  const [reverting, setReverting] = useState<{ document: PolicyDocument; reason: string }>()
  const mayManage = useMay('can_manage_automation_policies')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const isDirty = !isSameDocument(draft, documentOf(opened ?? NEW_POLICY))
  const disabled = !mayManage || opened?.is_whole === false
  const problem = findDraftProblem(draft)
  const isSaved = useRef(false)
  const question = useLeaveQuestion(() => isDirty && !isSaved.current, 'page')
  const load = (next: Policy) => {
    setOpened(next)
    setDraft(documentOf(next))
  }
  if (policy !== undefined && opened !== undefined && policy.version !== opened.version && !isDirty)
    load(policy)
  const onSaved = (saved: Policy) => {
    queryClient.setQueryData(queryKey(getPolicy, { params: { id: saved.id } }), saved)
    load(saved)
    if (opened === undefined) {
      // The question still sees the draft as unsaved until the next render.
      isSaved.current = true
      void navigate({ to: '/policies/$policy_id', params: { policy_id: `${saved.id}` }, replace: true })
    }
  }
  const mayBeSaved = isDirty && !disabled
  const draftPlan = useDraftPlan({ draft, opened, isReady: mayBeSaved && problem === undefined, onSaved })
  const section: SectionProps = {
    draft,
    change: (parts) => {
      draftPlan.save.reset()
      setDraft((old) => ({ ...old, ...parts }))
    },
    disabled,
  }
  const isOutdated = policy !== undefined && opened !== undefined && policy.version !== opened.version
  return (
    <div className="pane">
      <header className={`${classes.head} ${classes.policyHead}`}>
        <h1 className={classes.title}>
          <Link to="/policies">Policies</Link> / <bdi>{opened?.name ?? 'New policy'}</bdi>
        </h1>
        {opened !== undefined && (
          <span className={classes.chip} data-tone={opened.active ? 'positive' : undefined}>
            {opened.active ? 'active' : 'inactive'}
          </span>
        )}
        {mayBeSaved && (
          <span className={classes.chip} data-tone="warning">
            unsaved changes
          </span>
        )}
        {policy !== undefined && (
          <span className={classes.facts}>
            <span role="status">{countMachines(policy.agents_count)}</span>
            <span>
              Version {policy.version}, saved <Time instant={policy.modified} /> by{' '}
              <bdi>{policy.modified_by}</bdi>
            </span>
          </span>
        )}
      </header>
      <div className={classes.notes}>
        {isOutdated && (
          <ErrorBox
            message={`${policy.modified_by} has changed this policy. Your version cannot be saved.`}
            caption={
              <Button variant="default" size="compact-sm" onClick={() => load(policy)}>
                Discard my changes
              </Button>
            }
          />
        )}
        {isDirty && problem !== undefined && <ErrorBox message={problem} />}
        {opened?.is_whole === false && (
          <p className={classes.lead}>Only a part is shown: the policy also applies to hidden machines.</p>
        )}
      </div>
      <div className={classes.split} inert={draftPlan.save.isPending}>
        <div className={classes.column}>
          <PolicyGeneral {...section} />
          <PolicyChecks {...section} id={opened?.id} />
          <PolicyTasks {...section} id={opened?.id} />
          <PolicyPatches {...section} />
          <PolicySoftwareSection {...section} />
          <PolicySettings {...section} />
          <PolicyTemplate {...section} />
        </div>
        <div className={`${classes.column} ${classes.side}`}>
          {mayBeSaved && problem === undefined && <PolicyEffect draftPlan={draftPlan} />}
          <PolicyTargets {...section} known={namesOf(opened)} />
          {policy !== undefined && <PolicyMachines id={policy.id} />}
          {policy?.is_whole === true && (
            <PolicyHistory policy={policy} {...(disabled || isDirty ? {} : { onRevert: setReverting })} />
          )}
        </div>
      </div>
      {!disabled && (
        <PolicyFooter
          draftPlan={draftPlan}
          isDirty={isDirty}
          onDiscard={opened === undefined ? undefined : () => section.change(documentOf(opened))}
        />
      )}
      {reverting !== undefined && (
        <PlanDialog
          title={`Save the policy ${draft.name}?`}
          id={opened?.id}
          document={reverting.document}
          modified={opened?.modified}
          reason={reverting.reason}
          done="Policy saved. Machines are updated within seconds."
          onClose={() => setReverting(undefined)}
          onSaved={(saved) => saved !== undefined && onSaved(saved)}
        />
      )}
      {question}
    </div>
  )
}

function PolicyGeneral({ draft, change, disabled }: SectionProps) {
  return (
    <Section title="Policy">
      <div className={classes.general}>
        <TextInput
          label="Name"
          required
          maxLength={255}
          disabled={disabled}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <Textarea
          label="Description"
          maxLength={1000}
          autosize
          maxRows={5}
          dir="auto"
          disabled={disabled}
          value={draft.desc}
          onChange={(event) => change({ desc: event.currentTarget.value })}
        />
        <Checkbox
          label="Active"
          description="Inactive policies have no effect."
          disabled={disabled}
          checked={draft.active}
          onChange={(event) => change({ active: event.currentTarget.checked })}
        />
        <Checkbox
          label="Enforced"
          description="Overrides the machine's own checks of the same kind."
          disabled={disabled}
          checked={draft.enforced}
          onChange={(event) => change({ enforced: event.currentTarget.checked })}
        />
      </div>
    </Section>
  )
}

/** The alert template of the policy's machines. */
function PolicyTemplate({ draft, change, disabled }: SectionProps) {
  const { content } = draft
  const mayList = useMay('can_list_alerttemplates')
  const { data: templates = [], isFetched } = useQuery({ ...templatesQuery, enabled: mayList })
  const chosen = content.alert_template
  const isKnown = chosen === null || templates.some(({ id }) => id === chosen)
  return (
    <Section title="Alert template">
      <Select
        label="Alert template"
        description={
          mayList
            ? 'Closer assignments of a template win.'
            : 'Your role does not allow you to see alert templates.'
        }
        data={[
          { value: '', label: 'Not set' },
          ...templates.map(({ id, name, is_active }) => ({
            value: `${id}`,
            label: is_active ? name : `${name} (off)`,
          })),
          ...(isKnown
            ? []
            : [{ value: `${chosen}`, label: isFetched ? 'Deleted template' : `Template ${chosen}` }]),
        ]}
        allowDeselect={false}
        searchable={templates.length > 10}
        disabled={disabled || !mayList}
        value={chosen === null ? '' : `${chosen}`}
        onChange={(value) =>
          change({ content: { ...content, alert_template: value ? Number(value) : null } })
        }
      />
    </Section>
  )
}

const MAX_COUNT = 100

/** The machines of the saved policy. */
function PolicyMachines({ id }: { id: number }) {
  const { data, error, refetch } = useQuery(query(listPolicyRelations, { params: { id } }))
  if (data === undefined) return <LoadingState error={error} onRetry={() => void refetch()} />
  const { agents } = data
  return (
    <Section title={`Applies to ${agents.length} ${agents.length === 1 ? 'machine' : 'machines'}`}>
      {agents.length === 0 && (
        <p className="dim small">No machines. The policy is inactive, or its targets are empty.</p>
      )}
      <ul className="plain-list" aria-label="Machines of the policy">
        {agents.slice(0, MAX_COUNT).map(({ agent_id, hostname, client_name, site_name, level }) => (
          <li key={agent_id} className={classes.line}>
            <span className={classes.lineText}>
              <Link
                className={classes.link ?? ''}
                to="/agents/$agent_id"
                params={{ agent_id }}
                search={{ pane: 'policies' }}
              >
                <bdi>{hostname}</bdi>
              </Link>{' '}
              <span className="dim small">
                {client_name}, {site_name}
              </span>
            </span>
            <span className="dim small">{LEVEL_LABELS[level]}</span>
          </li>
        ))}
      </ul>
      {agents.length > MAX_COUNT && <p className="dim small">and {agents.length - MAX_COUNT} more</p>}
    </Section>
  )
}

const LABELS: Record<NumberSetting, { label: string; suffix: string }> = {
  check_interval: { label: 'Check interval', suffix: ' s' },
  offline_time: { label: 'Offline after', suffix: ' min' },
  overdue_time: { label: 'Overdue after', suffix: ' min' },
}

/** Machine settings; empty ones are not set. */
function PolicySettings({ draft, change, disabled }: SectionProps) {
  const { content } = draft
  const set = (values: Partial<typeof content.agent_settings>) =>
    change({ content: { ...content, agent_settings: { ...content.agent_settings, ...values } } })
  const alerts = content.agent_settings.overdue_dashboard_alert
  return (
    <Section title="Machine settings">
      <div className={classes.three}>
        {NUMBER_SETTING_NAMES.map((name) => {
          const { least, most, initial } = AGENT_SETTINGS[name]
          const { label, suffix } = LABELS[name]
          return (
            <NumberInput
              key={name}
              label={label}
              placeholder="Not set"
              description={`Default: ${initial}${suffix}`}
              suffix={suffix}
              min={least}
              max={most}
              clampBehavior="blur"
              allowDecimal={false}
              allowNegative={false}
              disabled={disabled}
              value={content.agent_settings[name] ?? ''}
              onChange={(value) => set({ [name]: typeof value === 'number' ? value : null })}
            />
          )
        })}
        <Select
          label="Availability alerts"
          description="When a machine is overdue"
          data={[
            { value: 'default', label: 'Not set' },
            { value: 'on', label: 'On' },
            { value: 'off', label: 'Off' },
          ]}
          allowDeselect={false}
          disabled={disabled}
          value={alerts === null ? 'default' : alerts ? 'on' : 'off'}
          onChange={(value) => set({ overdue_dashboard_alert: value === 'default' ? null : value === 'on' })}
        />
      </div>
    </Section>
  )
}
