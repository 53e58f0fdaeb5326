import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/NumberInput.css'
import { ActionIcon, NumberInput, Stack, Text, Tooltip } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  type ApiKey,
  deleteApiKey,
  MAX_OVERLAP_HOURS,
  rotateApiKey,
  type ShownApiKey,
} from '@muster/contract/api/api-keys'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { useMay } from '../../../app/api/queries.ts'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../../app/dialogs/ListDialog.tsx'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { Time } from '../../../ui/layout/Time.tsx'
import { useNow } from '../../../ui/layout/use-now.ts'
import { EditAndDelete, ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import classes from '../accounts/Users.module.css'
import { apiKeysQuery } from './ApiKeyDialog.tsx'
import { ShownKey } from './ShownKey.tsx'

const TITLE = 'API keys'

/** Keys with which programs call the API, and their last use. */
export function ApiKeysDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_api_keys" onClose={close}>
      <ApiKeys close={close} />
    </GuardedDialog>
  )
}

function ApiKeys({ close }: { close: () => void }) {
  const mayEdit = useMay('can_manage_api_keys')
  const { openRecord } = useRecordAddress('api-keys', 'api-key')
  const [removing, setRemoving] = useState<ApiKey>()
  const [rotating, setRotating] = useState<ApiKey>()
  const keys = useQuery(apiKeysQuery)
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={close}
        rows={keys}
        searchText={({ name, username }) => `${name}\n${username}`}
        empty="No API keys yet. Programs send one as X-API-KEY."
        create={mayEdit && <NewButton onClick={() => openRecord('new')}>New API key</NewButton>}
      >
        {(apiKey) => (
          <KeyRow
            key={apiKey.id}
            apiKey={apiKey}
            mayEdit={mayEdit}
            onRotate={() => setRotating(apiKey)}
            onRemove={() => setRemoving(apiKey)}
          />
        )}
      </ListDialog>
      {rotating !== undefined && <RotateKey apiKey={rotating} onClose={() => setRotating(undefined)} />}
      {removing !== undefined && <RemoveKey apiKey={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

interface KeyRowProps {
  apiKey: ApiKey
  mayEdit: boolean
  onRotate: () => void
  onRemove: () => void
}

function KeyRow({ apiKey, mayEdit, onRotate, onRemove }: KeyRowProps) {
  const { openRecord } = useRecordAddress('api-keys', 'api-key')
  const { id, name, expiration, last_used, last_used_ip, old_key_until } = apiKey
  const nowMs = useNow(expiration === null ? undefined : 60_000)
  const isExpired = expiration !== null && nowMs >= Date.parse(expiration)
  const mark = apiKey.blocked ? 'owner blocked' : isExpired ? 'expired' : undefined
  return (
    <ListRow
      name={name}
      tall
      beside={
        mark !== undefined && (
          <span className={classes.mark} data-tone="negative">
            {mark}
          </span>
        )
      }
      actions={
        mayEdit && apiKey.may_change ? (
          <>
            <Tooltip label="Rotate">
              <ActionIcon aria-label={`Rotate ${name}`} onClick={onRotate}>
                <IconRefresh size={16} stroke={1.75} aria-hidden />
              </ActionIcon>
            </Tooltip>
            <EditAndDelete name={name} onEdit={() => openRecord(id)} onDelete={onRemove} />
          </>
        ) : null
      }
    >
      <RowDetail>
        <bdi>{describeRights(apiKey)}</bdi>
        {mayEdit && !apiKey.may_change && ' · the owner has more permissions than you'}
      </RowDetail>
      <RowDetail>
        {last_used === null ? (
          'Never used'
        ) : (
          <>
            Last used <Time instant={last_used} relative />
            {last_used_ip !== null && ` from ${last_used_ip}`}
          </>
        )}
        {expiration !== null && (
          <>
            {isExpired ? ' · expired ' : ' · expires '}
            <Time instant={expiration} />
          </>
        )}
      </RowDetail>
      {old_key_until !== null && (
        <RowDetail>
          The old key works until <Time instant={old_key_until} />
        </RowDetail>
      )}
    </ListRow>
  )
}

/** Owner, and what narrows the rights of the owner. */
function describeRights({ username, role_name, clients, allowed_addresses }: ApiKey): string {
  const count = (list: readonly unknown[], one: string) =>
    `${list.length} ${list.length === 1 ? one : `${one}${one.endsWith('s') ? 'es' : 's'}`}`
  return [
    username,
    role_name === null ? 'all rights of the owner' : `role ${role_name}`,
    ...(clients === null ? [] : [`only ${count(clients, 'client')}`]),
    ...(allowed_addresses.length === 0 ? [] : [`from ${count(allowed_addresses, 'address')}`]),
  ].join(' · ')
}

/** Replaces a key, and shows the new one. */
function RotateKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const saveInto = useSaveInto(apiKeysQuery.queryKey)
  const made = useRef<ShownApiKey>(undefined)
  const [shown, setShown] = useState<ShownApiKey>()
  const form = useForm<{ hours: number | string }>({
    initialValues: { hours: 24 },
    validate: {
      hours: (hours) =>
        Number.isInteger(hours) && Number(hours) >= 0 && Number(hours) <= MAX_OVERLAP_HOURS
          ? null
          : `Enter 0 to ${MAX_OVERLAP_HOURS} hours.`,
    },
  })
  if (shown !== undefined) return <ShownKey apiKey={shown} onClose={onClose} />
  return (
    <FormDialog
      title={`Rotate ${apiKey.name}`}
      size="sm"
      form={form}
      mayStayUnchanged
      save={({ hours }) =>
        saveInto(async () => {
          const body = { old_key_hours: Number(hours) }
          made.current = await call(rotateApiKey, { params: { id: apiKey.id }, body })
        })
      }
      done="New key created."
      submitLabel="Rotate key"
      onClose={() => (made.current === undefined ? onClose() : setShown(made.current))}
    >
      <Stack gap="md">
        <NumberInput
          label="Hours until the old key stops"
          description="Both keys work until then. 0 = the old key stops at once."
          min={0}
          max={MAX_OVERLAP_HOURS}
          allowDecimal={false}
          allowNegative={false}
          data-autofocus
          {...form.getInputProps('hours')}
        />
      </Stack>
    </FormDialog>
  )
}

function RemoveKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  return (
    <RemoveDialog
      title="Delete this API key?"
      message={
        <Text>
          Programs that use <bdi>{apiKey.name}</bdi> are refused at once. Jobs that it started stop.
        </Text>
      }
      remove={() => call(deleteApiKey, { params: { id: apiKey.id } })}
      done="API key deleted."
      stale={apiKeysQuery.queryKey}
      onClose={onClose}
    />
  )
}
