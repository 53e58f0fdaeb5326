import { Button, Checkbox, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useForm } from '@mantine/form'
import { type Client, createClient } from '@muster/contract/api/clients'
import { NodeName } from '@muster/contract/fields'
import { MessagePage } from '../../app/shell/MessagePage.tsx'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { clientsQuery, dashInfoQuery, may, meQuery } from '../../app/api/queries.ts'
import { BusyOverlay, ErrorBox, ErrorState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import { fieldErrors, focusFirstError } from '../../app/api/form-errors.ts'
import { call } from '../../app/api/api.ts'
import { notify } from '../../app/shell/notify.ts'
import { takeNext } from '../../app/session/session.ts'

/** Creates the first client and site; afterwards the page says that setup is done. */
export function InitialSetupPage() {
  const info = useQuery(dashInfoQuery)
  const me = useQuery(meQuery)
  const clients = useQuery(clientsQuery)
  const error = info.error ?? me.error ?? clients.error
  if (error !== null) {
    const retry = () => void Promise.all([info.refetch(), me.refetch(), clients.refetch()])
    return (
      <MessagePage title="Initial setup">
        {isRefused(error) ? <NoPermission /> : <ErrorState {...describeError(error)} onRetry={retry} />}
      </MessagePage>
    )
  }
  if (info.data === undefined || me.data === undefined || clients.data === undefined) {
    return (
      <MessagePage title="Initial setup">
        <SkeletonRows rows={4} />
      </MessagePage>
    )
  }
  if (clients.data.length > 0) {
    return (
      <MessagePage title="Initial setup">
        <p>The initial setup is done. Add more clients on the dashboard.</p>
        <Button component={Link} to="/" size="sm">
          Go to the dashboard
        </Button>
      </MessagePage>
    )
  }
  if (!may(me.data, 'can_manage_clients')) {
    return (
      <MessagePage title="No client yet">
        <NoPermission message="No client that you may see. Your role does not allow you to add one." />
      </MessagePage>
    )
  }
  return (
    <MessagePage title={info.data.setup_open ? 'Welcome to Muster' : 'No client yet'} wide>
      <p>
        Machines belong to a site, and sites to a client. Name the first of each; both can be renamed later.
      </p>
      <SetupForm
        initial={info.data.setup_open}
        canMonitorServer={me.data.is_superuser && !info.data.hosted}
      />
    </MessagePage>
  )
}

const START = { client: '', site: '', companyname: '', monitor_server: true }

/** `initial` adds the fields of the first setup, `canMonitorServer` the one that requires a superuser. */
function SetupForm({ initial, canMonitorServer }: { initial: boolean; canMonitorServer: boolean }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { ...START, monitor_server: canMonitorServer },
    validateInputOnBlur: true,
    validate: { client: checkName, site: checkName },
  })
  const finish = useMutation({
    mutationFn: (values: typeof START) => call(createClient, { body: toBody(values, initial) }),
    meta: { errorsShown: true },
    onSuccess: (client: Client) => {
      queryClient.setQueryData(clientsQuery.queryKey, [client])
      void queryClient.invalidateQueries({ queryKey: dashInfoQuery.queryKey })
      void navigate({ href: takeNext(), replace: true })
      if (initial) {
        notify('Setup is done. The overview lists the first steps.', {
          tone: 'positive',
          action: { label: 'Show first steps', run: () => void navigate({ to: '/overview' }) },
        })
      }
    },
    onError: (error) => form.setErrors(nameErrors(error)),
  })
  return (
    <form noValidate onSubmit={form.onSubmit((values) => finish.mutate(values), focusFirstError(form))}>
      <Stack gap="md">
        {finish.error !== null && <ErrorBox {...describeError(finish.error)} />}
        <TextInput
          label="Client"
          placeholder="Acme Dental"
          autoFocus
          maxLength={255}
          {...form.getInputProps('client')}
        />
        <TextInput label="Site" placeholder="Headquarters" maxLength={255} {...form.getInputProps('site')} />
        {initial && (
          <>
            <TextInput
              label="Your company"
              description="Optional, shown at machines when you open remote tools"
              maxLength={255}
              {...form.getInputProps('companyname')}
            />
            {canMonitorServer && (
              <Checkbox
                label="Also monitor the machine of this server"
                {...form.getInputProps('monitor_server', { type: 'checkbox' })}
              />
            )}
          </>
        )}
        <Button type="submit" size="sm" loading={finish.isPending}>
          {initial ? 'Finish' : 'Add client'}
        </Button>
      </Stack>
      {finish.isPending && <BusyOverlay message="Setting up …" />}
    </form>
  )
}

function toBody({ client, site, ...first }: typeof START, initial: boolean) {
  const { companyname, ...rest } = first
  const names = { client: { name: client }, site: { name: site } }
  if (!initial) return names
  return { ...names, ...rest, initialsetup: true, ...(companyname.trim() === '' ? {} : { companyname }) }
}

const checkName = (name: string) => NodeName.safeParse(name).error?.issues[0]?.message ?? null

/** The server names `client.name` and `site.name`; the form's fields are `client` and `site`. */
function nameErrors(error: unknown): Record<string, string> {
  const byPath = fieldErrors(error, { 'client.name': '', 'site.name': '' })
  return {
    ...(byPath['client.name'] === undefined ? {} : { client: byPath['client.name'] }),
    ...(byPath['site.name'] === undefined ? {} : { site: byPath['site.name'] }),
  }
}
