import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import '@mantine/core/styles/Switch.css'
import {
  ActionIcon,
  Button,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  Switch,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import {
  createEscalationChain,
  editEscalationChain,
  type EscalationChain,
  type listEscalationTargets,
} from '@muster/contract/api/escalations'
import type { Output } from '@muster/contract/endpoint'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { ChangedMeanwhile, RecordDialog } from '../../../app/dialogs/RecordDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { useNow } from '../../../ui/layout/use-now.ts'
import { OnCallLine } from '../on-call/OnCallLine.tsx'
import { describeShifts, schedulesQuery, targetsQuery } from '../on-call/schedule-form.ts'
import {
  afterLabel,
  chainsQuery,
  checkChainForm,
  type ChainForm,
  newChainForm,
  nextStep,
  readChainForm,
  toChain,
} from './chain-form.ts'
import classes from './Escalations.module.css'

const MAX_STEPS = 20
const TICK_MS = 10_000

/** A new chain (`new`) or an existing one (`3`). Closing leads to the list. */
export function ChainDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('escalation-chains', 'escalation-chain')
  const title = item === 'new' ? 'New escalation chain' : 'Escalation chain'
  return (
    <RecordDialog
      list={chainsQuery}
      item={item}
      title={title}
      needs="can_manage_alerttemplates"
      size="lg"
      gone="This escalation chain does not exist any more."
      back="Show all chains"
      onClose={openList}
    >
      {(chain, onReload) => (
        <ChainFormDialog
          title={chain === undefined ? title : `Edit ${chain.name}`}
          chain={chain}
          onReload={onReload}
          onClose={openList}
        />
      )}
    </RecordDialog>
  )
}

interface ChainFormDialogProps {
  title: string
  /** The edited chain, as it was when the form was opened. */
  chain: EscalationChain | undefined
  onReload: (() => void) | undefined
  onClose: () => void
}

function ChainFormDialog({ title, chain, onReload, onClose }: ChainFormDialogProps) {
  const saveInto = useSaveInto(chainsQuery.queryKey)
  const [start] = useState(() => (chain === undefined ? newChainForm() : readChainForm(chain)))
  const form = useForm<ChainForm>({
    initialValues: start,
    validate: checkChainForm,
    validateInputOnBlur: true,
  })
  const save = (values: ChainForm) =>
    saveInto(async () => {
      const body = toChain(values)
      if (chain === undefined) await call(createEscalationChain, { body })
      else {
        const { id, modified } = chain
        await call(editEscalationChain, { params: { id }, body: { ...body, modified } })
      }
    })
  return (
    <FormDialog
      title={title}
      size="lg"
      form={form}
      save={save}
      done={chain === undefined ? 'Escalation chain added.' : 'Escalation chain saved.'}
      submitLabel={chain === undefined ? 'Add chain' : 'Save'}
      onClose={onClose}
    >
      <ChangedMeanwhile what="this chain" onReload={onReload} mb="md" />
      <ChainFields form={form} />
    </FormDialog>
  )
}

type Form = UseFormReturnType<ChainForm>

function ChainFields({ form }: { form: Form }) {
  const { values } = form
  const { data: targets } = useQuery(targetsQuery)
  const mails = targets?.channels.filter(({ kind }) => kind === 'email') ?? []
  return (
    <Stack gap="lg">
      <TextInput label="Name" maxLength={100} data-autofocus {...form.getInputProps('name')} />
      <div className="stack">
        {values.steps.map((_, index) => (
          // Steps have no other identity, and only their fields have state.
          // oxlint-disable-next-line react/no-array-index-key
          <StepFields key={index} form={form} index={index} targets={targets} />
        ))}
        <div>
          <Button
            variant="default"
            leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
            disabled={values.steps.length >= MAX_STEPS}
            onClick={() => form.insertListItem('steps', nextStep(values.steps))}
          >
            Add step
          </Button>
        </div>
      </div>
      <section className={classes.section} aria-label="Repetition">
        <div className="stack">
          <Switch label="Repeat the last step" {...form.getInputProps('repeats', { type: 'checkbox' })} />
          {values.repeats && (
            <div className={classes.pair}>
              <Minutes label="Every" {...form.getInputProps('repeat_minutes')} suffix=" min" />
              <Minutes label="At most" {...form.getInputProps('repeat_times')} suffix=" times" />
            </div>
          )}
          <Select
            label="E-mail channel for users"
            description="Quiet hours and severities of channels do not count here."
            placeholder="First enabled e-mail channel"
            data={mails.map(({ id, name }) => ({ value: `${id}`, label: name }))}
            clearable
            {...form.getInputProps('mail_channel')}
          />
        </div>
      </section>
    </Stack>
  )
}

type Targets = Output<typeof listEscalationTargets>
type Choice = { value: string; label: string }

interface StepFieldsProps {
  form: Form
  index: number
  targets: Targets | undefined
}

function StepFields({ form, index, targets }: StepFieldsProps) {
  const step = form.values.steps[index]
  if (step === undefined) return null
  const users = targets?.users.filter(({ id, is_active }) => is_active || step.users.includes(`${id}`)) ?? []
  const named = (text: string) => `steps.${index}.${text}`
  return (
    <section className={classes.step} aria-label={`Step ${index + 1}`}>
      <div className={classes.stepHead}>
        <span className="strong">
          Step {index + 1}: {afterLabel(step.after_minutes).toLowerCase()}
        </span>
        {form.values.steps.length > 1 && (
          <Tooltip label="Remove">
            <ActionIcon
              aria-label={`Remove step ${index + 1}`}
              onClick={() => form.removeListItem('steps', index)}
            >
              <IconTrash size={16} stroke={1.75} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      <div className="stack">
        <Minutes
          label="Notify after"
          description="Since the alert was notified"
          suffix=" min"
          {...form.getInputProps(named('after_minutes'))}
        />
        <Names
          label="Users"
          data={users.map(({ id, name, has_email, is_active }) => ({
            value: `${id}`,
            label: nameOf(name, { has_email, is_active }),
          }))}
          {...form.getInputProps(named('users'))}
        />
        <Names
          label="On-call schedules"
          data={choicesOf(targets?.schedules)}
          {...form.getInputProps(named('schedules'))}
        />
        <OnCallNow ids={step.schedules} />
        <Names
          label="Channels"
          data={choicesOf(targets?.channels)}
          {...form.getInputProps(named('channels'))}
        />
      </div>
    </section>
  )
}

function nameOf(name: string, user: { has_email: boolean; is_active: boolean }): string {
  if (!user.is_active) return `${name} (disabled)`
  return user.has_email ? name : `${name} (no e-mail address)`
}

const choicesOf = (rows: readonly { id: number; name: string }[] = []): Choice[] =>
  rows.map(({ id, name }) => ({ value: `${id}`, label: name }))

/** The users on call in these schedules. */
function OnCallNow({ ids }: { ids: readonly string[] }) {
  const nowMs = useNow(TICK_MS)
  const { data: schedules = [] } = useQuery(schedulesQuery)
  return schedules
    .filter(({ id }) => ids.includes(`${id}`))
    .map((schedule) => {
      const [shift] = describeShifts(schedule, { users: schedule.users, nowMs, count: 1 })
      return (
        shift !== undefined && (
          <p key={schedule.id} className="note">
            <bdi>{schedule.name}</bdi>: <OnCallLine shift={shift} />
          </p>
        )
      )
    })
}

interface NamesProps {
  label: string
  data: Choice[]
  value?: string[]
}

/** Chosen items that are gone or not visible stay listed and can be removed. */
function Names({ label, data, value = [], ...input }: NamesProps) {
  const others = value.filter((id) => !data.some((item) => item.value === id))
  return (
    <MultiSelect
      label={label}
      placeholder={value.length === 0 ? 'None' : ''}
      data={[...data, ...others.map((id) => ({ value: id, label: `unknown (${id})` }))]}
      value={value}
      searchable
      hidePickedOptions
      nothingFoundMessage="No matches"
      {...input}
    />
  )
}

interface MinutesProps {
  label: string
  description?: string
  suffix: string
}

function Minutes({ label, description, suffix, ...input }: MinutesProps) {
  return (
    <NumberInput
      label={label}
      {...(description === undefined ? {} : { description })}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      suffix={suffix}
      min={0}
      allowDecimal={false}
      clampBehavior="none"
      {...input}
    />
  )
}
