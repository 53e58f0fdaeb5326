import { Button, Textarea } from '@mantine/core'
import { generateScript } from '@muster/contract/api/scripts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { call } from '../../app/api/api.ts'
import classes from './ScriptEditor.module.css'

/** The server gives up after a minute. */
const TIMEOUT_MS = 70_000

interface GenerateScriptProps {
  /** Label of the shell that is chosen. */
  shell: string
  onCode: (code: string) => void
}

/** Asks the model that is configured for the code of a new script. */
export function GenerateScript({ shell, onCode }: GenerateScriptProps) {
  const [text, setText] = useState('')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call(
        generateScript,
        { body: { prompt: `Write a script for ${shell}. ${text.trim()}` } },
        { timeoutMs: TIMEOUT_MS },
      ),
    meta: { errorsShown: true },
    onSuccess: onCode,
  })
  return (
    <div className={classes.generate}>
      {error !== null && <FormError error={error} />}
      <Textarea
        label="Describe the script"
        description="Sent to the configured AI service. Check the code before you run it."
        autosize
        minRows={1}
        maxRows={6}
        maxLength={9000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button
        mt="xs"
        variant="default"
        disabled={text.trim() === ''}
        loading={isPending}
        onClick={() => mutate()}
      >
        Generate script
      </Button>
    </div>
  )
}
