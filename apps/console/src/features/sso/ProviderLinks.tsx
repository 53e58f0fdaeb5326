import { Button, Divider, Stack } from '@mantine/core'
import '@mantine/core/styles/Divider.css'
import { getSsoSignIn, SSO_CALLBACK_PATH } from '@muster/contract/api/sso'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'

/** The providers with which users can sign in. A failure is left to the password form. */
export function ProviderLinks() {
  const { data } = useQuery({ ...query(getSsoSignIn, {}), retry: false, meta: { quiet: true } })
  if (data === undefined || data.providers.length === 0) return null
  return (
    <Stack gap="md" mt="md">
      <Divider label="or" />
      {data.providers.map(({ name }) => (
        <ProviderLink key={name} name={name} />
      ))}
    </Stack>
  )
}

/** A page load, because the page of the provider replaces the console. */
export function ProviderLink({ name, newTab = false }: { name: string; newTab?: boolean }) {
  return (
    <Button
      component="a"
      href={`${SSO_CALLBACK_PATH}?provider=${encodeURIComponent(name)}`}
      {...(newTab ? { target: '_blank' } : {})}
      variant="default"
      size="sm"
    >
      Sign in with {name}
    </Button>
  )
}
