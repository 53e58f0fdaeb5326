import { Button, Menu, Select } from '@mantine/core'
import { listPolicyChecks } from '@muster/contract/api/policies'
import type { CheckType } from '@muster/contract/api/checks'
import type { PolicyCheck } from '@muster/contract/policies/policy-content'
import { describeThresholds, nameCheck } from '@muster/rules/checks/check-name'
import { IconChevronDown, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../../app/api/api.ts'
import { CheckFormDialog } from '../checks/CheckFormDialog.tsx'
import { NewCheckItems } from '../checks/NewCheckItems.tsx'
import { newCheckForm, readCheckForm, toCheckBody } from '../checks/check-form.ts'
import { TYPE_LABELS } from '../checks/check-labels.ts'
import { FIELD_LABELS } from '../checks/field-labels.ts'
import { POLICY_TARGET } from '../checks/fields/FieldParts.tsx'
import { allScriptsQuery } from '../scripts/all-scripts-query.ts'
import { Section } from '../../ui/layout/Section.tsx'
import { ContentLine } from './ContentLine.tsx'
import { findSaved, ItemStatus } from './ItemStatus.tsx'
import type { ContentProps } from './policy-draft.ts'

/** The checks of a policy, with the very forms that checks of machines have. */
export function PolicyChecks({ id, draft, change, disabled }: ContentProps) {
  const { checks } = draft.content
  const [open, setOpen] = useState<{ index: number; type: CheckType }>()
  const nameOf = useCheckNames(checks)
  const saved = useQuery({
    ...query(listPolicyChecks, { params: { id: id ?? 0 } }),
    enabled: id !== undefined,
  })
  const setChecks = (next: PolicyCheck[]) => change({ content: { ...draft.content, checks: next } })
  return (
    <Section
      title="Checks"
      tools={!disabled && <NewCheck onPick={(type) => setOpen({ index: checks.length, type })} />}
    >
      {checks.length === 0 && <p className="dim small">No checks</p>}
      <ul className="plain-list" aria-label="Checks of the policy">
        {checks.map((check, index) => (
          <ContentLine
            key={check.id ?? `new ${index}`}
            name={nameOf(check)}
            more={describeMore(check)}
            status={<ItemStatus kind="check" name={nameOf(check)} item={findSaved(saved.data, check.id)} />}
            disabled={disabled}
            onEdit={() => setOpen({ index, type: check.settings.check_type })}
            onRemove={() => setChecks(withoutCheck(checks, index))}
          />
        ))}
      </ul>
      {open !== undefined && (
        <PolicyCheckDialog
          check={checks[open.index]}
          type={open.type}
          name={checks[open.index] && nameOf(checks[open.index])}
          others={othersOf(checks, open.index, nameOf)}
          close={() => setOpen(undefined)}
          save={(check) => setChecks(checks.toSpliced(open.index, 1, check))}
        />
      )}
    </Section>
  )
}

interface PolicyCheckDialogProps {
  /** Absent for a new check. */
  check: PolicyCheck | undefined
  type: CheckType
  name: string | undefined
  /** Checks that it may depend on. */
  others: { value: string; label: string }[]
  save: (check: PolicyCheck) => void
  close: () => void
}

/** Changes the draft only. */
function PolicyCheckDialog({ check, type, name, others, save, close }: PolicyCheckDialogProps) {
  return (
    <CheckFormDialog
      title={check === undefined ? `New check of the policy: ${TYPE_LABELS[type]}` : `Edit ${name ?? ''}`}
      agent={POLICY_TARGET}
      type={type}
      start={check === undefined ? newCheckForm(type) : readCheckForm(check)}
      isNew={check === undefined}
      save={async (form) => {
        const body = toCheckBody(type, form)
        if (body === undefined) return
        const { settings, fails_b4_alert, run_interval, depends_on } = body
        save({
          ...(check?.id === undefined ? {} : { id: check.id }),
          settings,
          fails_b4_alert,
          run_interval,
          ...(depends_on == null ? {} : { depends_on }),
        })
      }}
      close={close}
      dependsOn={(form) => (
        <Select
          label={FIELD_LABELS.depends_on}
          description="Suppress this alert on machines where that saved check fails."
          placeholder="None"
          data={others}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear dependency' }}
          {...form.getInputProps('depends_on')}
        />
      )}
    />
  )
}

/** Clears dependencies on the removed check. */
function withoutCheck(checks: readonly PolicyCheck[], index: number): PolicyCheck[] {
  const gone = checks[index]?.id
  return checks
    .filter((_, at) => at !== index)
    .map(({ depends_on, ...check }) =>
      depends_on === undefined || depends_on === gone ? check : { ...check, depends_on },
    )
}

function othersOf(
  checks: readonly PolicyCheck[],
  index: number,
  nameOf: (check: PolicyCheck) => string,
): { value: string; label: string }[] {
  return checks.flatMap((check, at) =>
    at === index || check.id === undefined ? [] : [{ value: `${check.id}`, label: nameOf(check) }],
  )
}

function NewCheck({ onPick }: { onPick: (type: CheckType) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
          rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}
        >
          New check
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <NewCheckItems onPick={onPick} />
      </Menu.Dropdown>
    </Menu>
  )
}

/** Names of checks; those of scripts come from the library. */
export function useCheckNames(checks: readonly PolicyCheck[]) {
  const needsScripts = checks.some(({ settings }) => settings.check_type === 'script')
  const { data: scripts } = useQuery({ ...allScriptsQuery, enabled: needsScripts })
  return (check: PolicyCheck | undefined): string => {
    if (check === undefined) return ''
    const { settings } = check
    const script = settings.check_type === 'script' ? settings.script : undefined
    const found = scripts === undefined ? '…' : scripts.find(({ id }) => id === script)?.name
    return nameCheck({ settings, script_name: found ?? null })
  }
}

function describeMore({ settings, fails_b4_alert, run_interval }: PolicyCheck): string {
  const thresholds = describeThresholds(settings)
  return [
    ...(thresholds === '' ? [] : [thresholds]),
    ...(settings.check_type === 'script' && settings.script_args.length > 0
      ? [settings.script_args.join(' ')]
      : []),
    run_interval === 0 ? 'default interval' : `every ${run_interval} s`,
    ...(fails_b4_alert > 1 ? [`after ${fails_b4_alert} failures`] : []),
  ].join(', ')
}
