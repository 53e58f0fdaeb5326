import { Button, Checkbox, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type Client, createClient } from '@muster/contract/api/clients'
import { NodeName } from '@muster/contract/fields'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { fieldErrors, focusFirstError } from '../../app/api/form-errors.ts'
import { call } from '../../app/api/api.ts'
import { describeError } from '../../app/api/describe-error.ts'
import { clientsQuery, dashInfoQuery } from '../../app/api/queries.ts'
import { takeNext } from '../../app/session/session.ts'
import { BusyOverlay } from '../../ui/layout/BusyOverlay.tsx'
import { ErrorBox } from '../../ui/layout/ErrorBox.tsx'

const START = { client: '', site: '', companyname: '', monitor_server: true }

/** `initial` adds the fields of the first-time setup, `canMonitorServer` the one that needs a superuser. */
export function SetupForm({ initial, canMonitorServer }: { initial: boolean; canMonitorServer: boolean }) {
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
              description="Optional. Shown to users at machines when you open remote tools."
              maxLength={255}
              {...form.getInputProps('companyname')}
            />
            {canMonitorServer && (
              <Checkbox
                label="Also monitor the machine that this server runs on"
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

/** The server names `client.name` and `site.name`; the form's fields are called `client` and `site`. */
function nameErrors(error: unknown): Record<string, string> {
  const byPath = fieldErrors(error, { 'client.name': '', 'site.name': '' })
  return {
    ...(byPath['client.name'] === undefined ? {} : { client: byPath['client.name'] }),
    ...(byPath['site.name'] === undefined ? {} : { site: byPath['site.name'] }),
  }
}
