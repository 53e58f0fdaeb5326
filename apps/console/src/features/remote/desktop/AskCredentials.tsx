import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import classes from './DesktopWindow.module.css'
import type { Credentials, CredentialType } from './screen.ts'

interface AskCredentialsProps {
  types: readonly CredentialType[]
  onGive: (given: Credentials) => void
}

/** Name and password of a VNC server that Muster has not started. They are kept nowhere. */
export function AskCredentials({ types, onGive }: AskCredentialsProps) {
  const [given, setGiven] = useState<Credentials>({})
  const [isSent, setSent] = useState(false)
  return (
    <form
      className={classes.ask}
      onSubmit={(event) => {
        event.preventDefault()
        setSent(true)
        onGive(given)
      }}
    >
      {types.includes('username') && (
        <TextInput
          label="User name"
          autoComplete="off"
          onChange={({ currentTarget }) => setGiven({ ...given, username: currentTarget.value })}
        />
      )}
      <PasswordInput
        label="Password of the VNC server"
        autoComplete="off"
        data-autofocus
        autoFocus
        onChange={({ currentTarget }) => setGiven({ ...given, password: currentTarget.value })}
      />
      <Button type="submit" loading={isSent}>
        Connect
      </Button>
    </form>
  )
}
