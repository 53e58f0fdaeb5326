import { Button } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { MessagePage } from './MessagePage.tsx'
import { describeError } from '../api/describe-error.ts'

/** A screen that failed to render. The browser's console has the error. */
export function CrashPage({ error }: ErrorComponentProps) {
  const { message, caption } = describeError(error)
  return (
    <MessagePage title="This screen cannot be shown">
      <p>{message}</p>
      {caption !== undefined && <p>{caption}</p>}
      <Button onClick={() => location.reload()}>Reload</Button>
    </MessagePage>
  )
}
