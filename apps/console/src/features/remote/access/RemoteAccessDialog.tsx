import { useForm } from '@mantine/form'
import { getRemoteAccess, type PlaceRemoteAccess, setRemoteAccess } from '@muster/contract/api/remote-access'
import { useQuery } from '@tanstack/react-query'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../../app/api/api.ts'
import type { AddressedDialogProps } from '../../../app/dialogs/dialogs.tsx'
import { AccessFields } from './AccessFields.tsx'
import { NotEnforced } from './NotEnforced.tsx'
import { type AccessForm, checkAccess, type PlaceLevel, readAccess, writeAccess } from './access-form.ts'

const TITLE = 'Remote access'
type Params = ReturnType<typeof paramsOf>

/** What a client, a site, a machine or all machines say of remote tools: `client-3`, `site-2`, `agent-ABC`, nothing. */
export function RemoteAccessDialog({ item = 'default-all', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_manage_remote_access" onClose={close}>
      <Place params={paramsOf(item)} close={close} />
    </GuardedDialog>
  )
}

function paramsOf(item: string) {
  const dash = item.indexOf('-')
  // Another level is refused by the server.
  const level = item.slice(0, dash) as PlaceLevel
  return { level, id: item.slice(dash + 1) }
}

function Place({ params, close }: { params: Params; close: () => void }) {
  const options = query(getRemoteAccess, { params })
  const { data, error, refetch } = useQuery({ ...options, staleTime: 0, gcTime: 0 })
  if (data === undefined) {
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
  }
  return <AccessDialog key={data.modified} params={params} access={data} close={close} />
}

interface AccessDialogProps {
  params: Params
  access: PlaceRemoteAccess
  close: () => void
}

function AccessDialog({ params, access, close }: AccessDialogProps) {
  const { name, settings, inherited, modified } = access
  const isTop = params.level === 'default'
  const form = useForm<AccessForm>({
    initialValues: readAccess(settings),
    validate: checkAccess,
    validateInputOnChange: true,
  })
  return (
    <FormDialog
      title={`Remote access to ${isTop ? 'all machines' : name}`}
      form={form}
      save={(values) => call(setRemoteAccess, { params, body: { ...writeAccess(values), modified } })}
      done="Saved. Machines follow within seconds, those that are away when they are back."
      onClose={close}
    >
      <NotEnforced access={access} level={params.level} />
      <AccessFields form={form} inherited={inherited} level={params.level} />
    </FormDialog>
  )
}
