import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import classes from './Registry.module.css'

/** The path of the key that is shown; another can be written. */
export function KeyPath({ path, onOpen }: { path: string; onOpen: (path: string) => void }) {
  const [held, setHeld] = useState({ path, typed: path })
  if (held.path !== path) setHeld({ path, typed: path })
  return (
    <form
      className={classes.where}
      onSubmit={(event) => {
        event.preventDefault()
        onOpen(held.typed.trim().replace(/\\+$/, ''))
      }}
    >
      <TextInput
        className={classes.path}
        aria-label="Path of the key"
        placeholder="HKEY_LOCAL_MACHINE\SOFTWARE"
        spellCheck={false}
        value={held.typed}
        onChange={(event) => setHeld({ path, typed: event.currentTarget.value })}
      />
      <Button type="submit" size="compact-sm" variant="default">
        Go
      </Button>
    </form>
  )
}
