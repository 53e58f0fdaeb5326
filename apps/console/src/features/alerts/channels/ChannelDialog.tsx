import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  type AlertChannel,
  type ChannelKind,
  createAlertChannel,
  editAlertChannel,
} from '@muster/contract/api/alert-channels'
import { useState } from 'react'
import { ChangedMeanwhile, EditedItem } from '../../../app/dialogs/EditedItem.tsx'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../../app/api/api.ts'
import type { AddressedDialogProps } from '../../../app/dialogs/dialogs.tsx'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { ownTimeZone } from '../../setup/time-zones.ts'
import classes from './ChannelForm.module.css'
import { RuleFields } from './RuleFields.tsx'
import { SettingFields } from './SettingFields.tsx'
import { TestChannel } from './TestChannel.tsx'
import { KINDS, KIND_LABELS } from './channel-fields.ts'
import {
  type ChannelForm,
  checkChannelForm,
  checkSettings,
  newChannelForm,
  readChannelForm,
  toRules,
  toSettings,
} from './channel-form.ts'
import { channelsQuery } from './channels-query.ts'
import { useChannelAddress } from './use-channel-address.ts'

/** A channel: a new one (`new.email`), or one that there is (`3`). Closing it leads to the list. */
export function ChannelDialog({ item = '' }: AddressedDialogProps) {
  const { openList } = useChannelAddress()
  const kind = KINDS.find((known) => item === `new.${known}`)
  const title = kind === undefined ? 'Alert channel' : `New alert channel: ${KIND_LABELS[kind]}`
  return (
    <GuardedDialog title={title} needs="can_edit_core_settings" size="lg" onClose={openList}>
      {kind === undefined ? (
        <LoadedChannel id={Number(item)} onClose={openList} />
      ) : (
        <ChannelFormDialog title={title} kind={kind} channel={undefined} onClose={openList} />
      )}
    </GuardedDialog>
  )
}

function LoadedChannel({ id, onClose }: { id: number; onClose: () => void }) {
  return (
    <EditedItem
      list={channelsQuery}
      id={id}
      title="Alert channel"
      size="lg"
      gone="This channel does not exist any more."
      back="Show all channels"
      onClose={onClose}
    >
      {(channel, onReload) => (
        <ChannelFormDialog
          title={`Edit ${channel.name}`}
          kind={channel.settings.kind}
          channel={channel}
          onReload={onReload}
          onClose={onClose}
        />
      )}
    </EditedItem>
  )
}

interface ChannelFormDialogProps {
  title: string
  kind: ChannelKind
  /** The one that is edited, as it was when the form was opened. */
  channel: AlertChannel | undefined
  /** Somebody else has saved it since: begins anew with what is there now. */
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
        <h3 className={classes.legend}>What is told here</h3>
        <Checkbox label="Switched on" {...form.getInputProps('enabled', { type: 'checkbox' })} />
        <RuleFields form={form} />
      </Stack>
    </FormDialog>
  )
}
