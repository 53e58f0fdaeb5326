import '@mantine/core/styles/NumberInput.css'
import { ActionIcon, Button, NumberInput, Select, TextInput } from '@mantine/core'
import type { PatchApproval } from '@muster/contract/policies/patch-policy'
import { PATCH_CLASSES, type PatchClass, type PatchRule } from '@muster/rules/patches/patch-approval'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { ListField } from '../../../ui/inputs/ListField.tsx'
import classes from './PatchPolicy.module.css'

const LABELS: Record<PatchClass, string> = {
  critical: 'Critical',
  important: 'Important',
  moderate: 'Moderate',
  low: 'Low',
  security: 'Security, without severity',
  other: 'Other',
}
const ACTIONS = [
  { value: 'approve', label: 'Approve' },
  { value: 'manual', label: 'Decide manually' },
  { value: 'ignore', label: 'Ignore' },
]

interface ApprovalFieldsProps {
  value: PatchApproval
  onChange: (value: PatchApproval) => void
}

/** Which patches are approved by themselves, and when. */
export function ApprovalFields({ value, onChange }: ApprovalFieldsProps) {
  const setCategories = (categories: PatchApproval['categories']) => onChange({ ...value, categories })
  return (
    <>
      <p className="dim small">Days count from the first report of a patch by any machine.</p>
      {PATCH_CLASSES.map((name) => (
        <div key={name} className={classes.rule}>
          <span className={classes.ruleName}>{LABELS[name]}</span>
          <RuleFields
            name={LABELS[name]}
            rule={value[name]}
            onChange={(rule) => onChange({ ...value, [name]: rule })}
          />
        </div>
      ))}
      {value.categories.map((rule, index) => (
        <div key={index} className={classes.rule}>
          <TextInput
            className={classes.ruleName ?? ''}
            aria-label={`Category ${index + 1}`}
            placeholder="Category, such as Drivers"
            maxLength={255}
            value={rule.category}
            onChange={(event) =>
              setCategories(value.categories.with(index, { ...rule, category: event.currentTarget.value }))
            }
          />
          <RuleFields
            name={`Category ${index + 1}`}
            rule={rule}
            onChange={(next) => setCategories(value.categories.with(index, { ...rule, ...next }))}
          />
          <ActionIcon
            aria-label={`Remove category ${index + 1}`}
            onClick={() => setCategories(value.categories.toSpliced(index, 1))}
          >
            <IconTrash size={16} stroke={1.75} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
        onClick={() =>
          setCategories([...value.categories, { category: '', action: 'manual', after_days: 0 }])
        }
      >
        Add category
      </Button>
      <ListField
        label="Never install"
        description="A KB number, a package or a title. * stands for any text."
        noun="patch"
        values={value.ignore}
        onChange={(ignore) => onChange({ ...value, ignore })}
      />
    </>
  )
}

interface RuleFieldsProps {
  name: string
  rule: PatchRule
  onChange: (rule: PatchRule) => void
}

function RuleFields({ name, rule, onChange }: RuleFieldsProps) {
  return (
    <>
      <Select
        aria-label={name}
        data={ACTIONS}
        allowDeselect={false}
        value={rule.action}
        onChange={(action) => onChange({ ...rule, action: readAction(action) })}
      />
      <NumberInput
        aria-label={`${name}, days`}
        prefix="after "
        suffix={rule.after_days === 1 ? ' day' : ' days'}
        min={0}
        max={365}
        clampBehavior="blur"
        allowDecimal={false}
        allowNegative={false}
        disabled={rule.action !== 'approve'}
        value={rule.after_days}
        onChange={(days) => onChange({ ...rule, after_days: Number(days) || 0 })}
      />
    </>
  )
}

function readAction(value: string | null): PatchRule['action'] {
  return value === 'approve' || value === 'ignore' ? value : 'manual'
}
