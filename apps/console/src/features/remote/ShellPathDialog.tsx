import { Button, TextInput } from '@mantine/core'
import { useId, useState } from 'react'
import { Dialog } from '../../ui/dialog/Dialog.tsx'

interface ShellPathDialogProps {
  path: string
  /** The machine's error about this path. */
  problem: string | undefined
  onPath: (path: string) => void
  onClose: () => void
}

/** Asks for the program of a terminal that is none of the usual shells. */
export function ShellPathDialog({ path, problem, onPath, onClose }: ShellPathDialogProps) {
  const [shell, setShell] = useState(path)
  const form = useId()
  return (
    <Dialog
      title="Custom shell"
      size="sm"
      onClose={onClose}
      why={shell.trim() === '' ? 'Enter a program.' : undefined}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} disabled={shell.trim() === ''}>
            Open
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault()
          if (shell.trim() !== '') onPath(shell.trim())
        }}
      >
        <TextInput
          label="Program"
          description="Path or name on the machine. The open terminal ends."
          placeholder="/usr/bin/fish or C:\Tools\nu.exe"
          data-autofocus
          maxLength={1000}
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: 'mono' }}
          error={shell === path ? problem : undefined}
          value={shell}
          onChange={({ currentTarget }) => setShell(currentTarget.value)}
        />
      </form>
    </Dialog>
  )
}
