import { Alert, Button, Stack, TextInput, Textarea } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import { useForm } from '@mantine/form'
import { type KeyStoreEntry, createKey, editKey } from '@muster/contract/api/keystore'
import { ApiError } from '@muster/contract/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../app/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../app/GuardedDialog.tsx'
import { call } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { keyStoreQuery } from './keystore-query.ts'
import { useKeyAddress } from './use-key-address.ts'

/** A new key (`new`), or one that there is (`3`). Closing it leads to the store. */
export function KeyDialog({ item = '' }: AddressedDialogProps) {
  const { openStore } = useKeyAddress()
  return (
    <GuardedDialog title="Key" needs="can_edit_global_keystore" onClose={openStore}>
      {item === 'new' ? (
        <KeyForm entry={undefined} onClose={openStore} />
      ) : (
        <LoadedKey id={Number(item)} onClose={openStore} />
      )}
    </GuardedDialog>
  )
}

function LoadedKey({ id, onClose }: { id: number; onClose: () => void }) {
  const { data, error, isFetchedAfterMount, refetch } = useQuery({ ...keyStoreQuery, staleTime: 0 })
  const [opened, setOpened] = useState<KeyStoreEntry>()
  const entry = data?.find((one) => one.id === id)
  if (opened === undefined && entry !== undefined && isFetchedAfterMount) setOpened(entry)
  if (opened !== undefined) {
    const isOld = entry !== undefined && entry.modified !== opened.modified
    return (
      <KeyForm
        key={opened.modified}
        entry={opened}
        onReload={isOld ? () => setOpened(entry) : undefined}
        onClose={onClose}
      />
    )
  }
  if (data !== undefined && isFetchedAfterMount && entry === undefined) {
    return (
      <Dialog title="Key" onClose={onClose}>
        <EmptyState message="This key does not exist any more.">
          <Button variant="default" onClick={onClose} data-autofocus>
            Show the key store
          </Button>
        </EmptyState>
      </Dialog>
    )
  }
  return <StateDialog title="Key" onClose={onClose} error={error} onRetry={() => void refetch()} />
}

interface KeyFormProps {
  /** The one that is edited, as it was when the form was opened. */
  entry: KeyStoreEntry | undefined
  /** Somebody else has saved it since: begins anew with what is there now. */
  onReload?: (() => void) | undefined
  onClose: () => void
}

function KeyForm({ entry, onReload, onClose }: KeyFormProps) {
  const queryClient = useQueryClient()
  const form = useForm({
    initialValues: { name: entry?.name ?? '', value: '' },
    validate: {
      name: checkKeyName,
      value: (value) => (value === '' && entry === undefined ? 'A value is needed.' : null),
    },
    validateInputOnBlur: true,
  })
  const save = async ({ name, value }: { name: string; value: string }) => {
    try {
      if (entry === undefined) await call(createKey, { body: { name, value } })
      else {
        const body = { name, modified: entry.modified, ...(value === '' ? {} : { value }) }
        await call(editKey, { params: { id: entry.id }, body })
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'changed_meanwhile')
        await queryClient.invalidateQueries({ queryKey: keyStoreQuery.queryKey })
      throw error
    }
    await queryClient.invalidateQueries({ queryKey: keyStoreQuery.queryKey })
  }
  return (
    <FormDialog
      title={entry === undefined ? 'New key' : `Edit ${entry.name}`}
      form={form}
      save={save}
      done={entry === undefined ? 'Key stored.' : 'Key saved.'}
      submitLabel={entry === undefined ? 'Store' : 'Save'}
      onClose={onClose}
    >
      <Stack gap="md">
        {onReload !== undefined && (
          <Alert color="warning" title="Somebody else has changed this key">
            <Button variant="default" mt="sm" onClick={onReload}>
              Begin again
            </Button>
          </Alert>
        )}
        <TextInput
          label="Name"
          description="Scripts write {{global.name}} in an argument or a variable."
          maxLength={100}
          spellCheck={false}
          data-autofocus={entry === undefined || undefined}
          {...form.getInputProps('name')}
        />
        <Textarea
          label="Value"
          description={
            entry === undefined
              ? 'Once stored it is not shown to anybody again.'
              : 'One is kept, and cannot be shown. Leave this empty to keep it.'
          }
          placeholder={entry === undefined ? undefined : 'Type to replace it'}
          classNames={{ input: 'mono' }}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={100_000}
          spellCheck={false}
          autoComplete="off"
          data-autofocus={entry !== undefined || undefined}
          {...form.getInputProps('value')}
        />
      </Stack>
    </FormDialog>
  )
}

function checkKeyName(name: string): string | null {
  if (name.trim() === '') return 'A name is needed.'
  return /[{}]/.test(name) ? 'A name holds no braces: scripts write {{global.name}}.' : null
}
