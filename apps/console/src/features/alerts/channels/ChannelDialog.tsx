import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import '@mantine/core/styles/SimpleGrid.css'
import {
  Button,
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import {
  type AlertChannel,
  type ChannelKind,
  createAlertChannel,
  editAlertChannel,
  testAlertChannel,
} from '@muster/contract/api/alert-channels'
import { useState } from 'react'
import { formatDuration } from '@muster/rules/text/units'
import { IconCircleCheck, IconCircleX, IconSend } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { AlertType } from '@muster/contract/api/alerts'
import { ChangedMeanwhile, RecordDialog } from '../../../app/dialogs/RecordDialog.tsx'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { listTimeZones, ownTimeZone } from '../../setup/time-zones.ts'
import { describeError } from '../../../app/api/describe-error.ts'
import { clientsQuery, useMay } from '../../../app/api/queries.ts'
import { SEVERITIES, SEVERITY_LABELS, TYPE_LABELS } from '../alert-labels.ts'
import classes from './ChannelForm.module.css'
import { SettingFields } from './SettingFields.tsx'
import { KIND_LABELS, KINDS } from './channel-fields.ts'
import {
  type ChannelForm,
  channelsQuery,
  checkChannelForm,
  checkSettings,
  newChannelForm,
  readChannelForm,
  toRules,
  toSettings,
} from './channel-form.ts'

/** A new channel (`new.email`) or an existing one (`3`). Closing leads to the list. */
export function ChannelDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('alert-channels', 'alert-channel')
  const kind = KINDS.find((known) => item === `new.${known}`)
  const title = kind === undefined ? 'Alert channel' : `New alert channel: ${KIND_LABELS[kind]}`
  return (
    <RecordDialog
      list={channelsQuery}
      item={kind === undefined ? item : 'new'}
      title={title}
      needs="can_edit_core_settings"
      size="lg"
      gone="This channel does not exist any more."
      back="Show all channels"
      onClose={openList}
    >
      {(channel, onReload) => (
        <ChannelFormDialog
          title={channel === undefined ? title : `Edit ${channel.name}`}
          kind={channel?.settings.kind ?? kind ?? 'email'}
          channel={channel}
          onReload={onReload}
          onClose={openList}
        />
      )}
    </RecordDialog>
  )
}

interface ChannelFormDialogProps {
  title: string
  kind: ChannelKind
  /** The edited channel, as it was when the form was opened. */
  channel: AlertChannel | undefined
  /** After a conflict: restarts the form with the saved values. */
  onReload?: (() => void) | undefined
  onClose: () => void
}

function ChannelFormDialog({ title, kind, channel, onReload, onClose }: ChannelFormDialogProps) {
  const saveInto = useSaveInto(channelsQuery.queryKey)
  const [start] = useState(() =>
    channel === undefined ? newChannelForm(kind, ownTimeZone()) : readChannelForm(channel),
  )
  const form = useForm<ChannelForm>({
    initialValues: start,
    validate: (values) => checkChannelForm(kind, values),
    validateInputOnBlur: true,
  })
  const save = async (values: ChannelForm) => {
    const name = `${values.name as string}`.trim()
    const body = { name, settings: toSettings(kind, values), rules: toRules(values) }
    await saveInto(async () => {
      if (channel === undefined) await call(createAlertChannel, { body })
      else {
        const { id, modified } = channel
        await call(editAlertChannel, { params: { id }, body: { ...body, modified } })
      }
    })
  }
  return (
    <FormDialog
      title={title}
      size="lg"
      form={form}
      save={save}
      done={channel === undefined ? 'Channel added.' : 'Channel saved.'}
      submitLabel={channel === undefined ? 'Add channel' : 'Save'}
      onClose={onClose}
    >
      <Stack gap="md">
        <ChangedMeanwhile what="this channel" onReload={onReload} />
        <TextInput label="Name" maxLength={255} data-autofocus {...form.getInputProps('name')} />
        <SettingFields kind={kind} form={form} start={start} />
        <TestChannel
          kind={kind}
          form={form.values}
          id={channel?.id}
          check={() => {
            const wrong = checkSettings(kind, form.getValues())
            form.setErrors(wrong)
            const [first] = Object.keys(wrong)
            if (first !== undefined) form.getInputNode(first)?.focus()
            return first === undefined
          }}
        />
        <h3 className={classes.legend}>Notify about</h3>
        <Checkbox label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
        <RuleFields form={form} />
      </Stack>
    </FormDialog>
  )
}

/** A mail server may be slow; the server gives up before this. */
const TIMEOUT_MS = 90_000

interface TestChannelProps {
  kind: ChannelKind
  form: ChannelForm
  /** The channel whose stored secrets apply. */
  id: number | undefined
  /** Shows errors at the fields, if any. */
  check: () => boolean
}

/** Sends a test message with the form's values, and shows the response. */
function TestChannel({ kind, form, id, check }: TestChannelProps) {
  const test = useMutation({
    mutationFn: () =>
      call(
        testAlertChannel,
        { body: { ...(id === undefined ? {} : { id }), settings: toSettings(kind, form) } },
        { timeoutMs: TIMEOUT_MS },
      ),
    meta: { errorsShown: true },
  })
  return (
    <div className={classes.test}>
      <Button
        variant="default"
        leftSection={<IconSend size={16} stroke={1.75} aria-hidden />}
        loading={test.isPending}
        onClick={() => {
          if (check()) test.mutate()
          else test.reset()
        }}
      >
        Send test message
      </Button>
      <div role="status" className={classes.answer} data-bad={isBad(test) || undefined}>
        {test.data !== undefined && (
          <>
            {test.data.ok ? (
              <IconCircleCheck size={16} stroke={1.75} aria-hidden className={classes.answerIcon} />
            ) : (
              <IconCircleX size={16} stroke={1.75} aria-hidden className={classes.answerIcon} />
            )}
            <div className={classes.answerText}>
              {test.data.ok ? 'Sent' : 'Not sent'} after {formatDuration(test.data.took_ms / 1000)}.
              {test.data.answer !== '' && (
                <span className={`${classes.said} mono`} dir="auto">
                  {test.data.answer}
                </span>
              )}
            </div>
          </>
        )}
        {test.error !== null && (
          <>
            <IconCircleX size={16} stroke={1.75} aria-hidden className={classes.answerIcon} />
            <div className={classes.answerText}>{describeError(test.error).message}</div>
          </>
        )}
      </div>
    </div>
  )
}

const isBad = ({ data, error }: { data: { ok: boolean } | undefined; error: unknown }): boolean =>
  error !== null || data?.ok === false

type Form = UseFormReturnType<ChannelForm>

const SEVERITY_CHOICES = SEVERITIES.map((value) => ({ value, label: SEVERITY_LABELS[value] }))
const TYPE_CHOICES = AlertType.options.map((value) => ({ value, label: TYPE_LABELS[value] }))

/** Which alerts go to the channel, and when. */
function RuleFields({ form }: { form: Form }) {
  const mayListClients = useMay('can_list_clients')
  const { data: clients = [] } = useQuery({ ...clientsQuery, enabled: mayListClients })
  const clientIds = form.values.clients as readonly number[]
  const hasQuietHours = form.values.quiet_from !== '' || form.values.quiet_to !== ''
  return (
    <>
      <Choices form={form} name="severities" label="Severities" choices={SEVERITY_CHOICES} />
      <Choices form={form} name="alert_types" label="Types" choices={TYPE_CHOICES} />
      {mayListClients && (
        <MultiSelect
          label="Clients"
          placeholder={clientIds.length === 0 ? 'All, and alerts without a client' : ''}
          data={clients.map(({ id, name }) => ({ value: `${id}`, label: name }))}
          value={clientIds.map(String)}
          onChange={(values) => form.setFieldValue('clients', values.map(Number))}
          error={form.errors.clients}
          searchable
          nothingFoundMessage="No matching client"
          limit={200}
        />
      )}
      <Checkbox label="Notify when resolved" {...form.getInputProps('on_resolved', { type: 'checkbox' })} />
      <NumberInput
        label="Remind every"
        description="While open and neither acknowledged nor snoozed. 0 = never."
        suffix=" min"
        min={0}
        allowDecimal={false}
        clampBehavior="none"
        {...form.getInputProps('repeat_minutes')}
      />
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        <TextInput
          type="time"
          label="Quiet hours from"
          description="Empty = no quiet hours."
          {...form.getInputProps('quiet_from')}
        />
        <TextInput
          type="time"
          label="Quiet hours until"
          description="Waiting notifications are sent then."
          {...form.getInputProps('quiet_to')}
        />
        <Select
          label="Time zone"
          description="For the quiet hours"
          data={listTimeZones()}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No matching time zone"
          limit={100}
          {...form.getInputProps('time_zone')}
        />
      </SimpleGrid>
      {hasQuietHours && (
        <Choices
          form={form}
          name="quiet_except"
          label="Notify during quiet hours"
          choices={SEVERITY_CHOICES}
        />
      )}
    </>
  )
}

interface ChoicesProps {
  form: Form
  name: string
  label: string
  choices: readonly { value: string; label: string }[]
}

function Choices({ form, name, label, choices }: ChoicesProps) {
  return (
    <Checkbox.Group label={label} {...form.getInputProps(name)}>
      <Group gap="md" mt={4}>
        {choices.map(({ value, label: word }) => (
          <Checkbox key={value} value={value} label={word} />
        ))}
      </Group>
    </Checkbox.Group>
  )
}
