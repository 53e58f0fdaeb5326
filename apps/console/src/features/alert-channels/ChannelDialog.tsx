import { Alert, Button, Checkbox, Stack, TextInput } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import { useForm } from '@mantine/form'
import {
  type AlertChannel,
  type ChannelKind,
  createAlertChannel,
  editAlertChannel,
} from '@muster/contract/api/alert-channels'
import { ApiError } from '@muster/contract/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../app/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../app/GuardedDialog.tsx'
import { call } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { ownTimeZone } from '../setup/time-zones.ts'
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
  // Nothing is kept from the last time: what is edited must be what is there.
  const { data, error, isFetchedAfterMount, refetch } = useQuery({ ...channelsQuery, staleTime: 0 })
  const [opened, setOpened] = useState<AlertChannel>()
  const channel = data?.find((one) => one.id === id)
  if (opened === undefined && channel !== undefined && isFetchedAfterMount) setOpened(channel)
  if (opened !== undefined) {
    return (
      <ChannelFormDialog
        key={opened.modified}
        title={`Edit ${opened.name}`}
        kind={opened.settings.kind}
        channel={opened}
        onReload={channel && channel.modified !== opened.modified ? () => setOpened(channel) : undefined}
        onClose={onClose}
      />
    )
  }
  if (data !== undefined && isFetchedAfterMount && channel === undefined) {
    return (
      <Dialog title="Alert channel" size="lg" onClose={onClose}>
        <EmptyState message="This channel does not exist any more.">
          <Button variant="default" onClick={onClose} data-autofocus>
            Show all channels
          </Button>
        </EmptyState>
      </Dialog>
    )
  }
  return (
    <StateDialog
      title="Alert channel"
      size="lg"
      onClose={onClose}
      error={error}
      onRetry={() => void refetch()}
    />
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
  const queryClient = useQueryClient()
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
    try {
      if (channel === undefined) await call(createAlertChannel, { body })
      else {
        const { id, modified } = channel
        await call(editAlertChannel, { params: { id }, body: { ...body, modified } })
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'changed_meanwhile')
        await queryClient.invalidateQueries({ queryKey: channelsQuery.queryKey })
      throw error
    }
    await queryClient.invalidateQueries({ queryKey: channelsQuery.queryKey })
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
        {onReload !== undefined && (
          <Alert color="warning" title="Somebody else has changed this channel">
            <Button variant="default" mt="sm" onClick={onReload}>
              Begin again with the new values
            </Button>
          </Alert>
        )}
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
