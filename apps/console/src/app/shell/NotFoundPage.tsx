import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { MessagePage } from './MessagePage.tsx'

export function NotFoundPage() {
  return (
    <MessagePage title="Not found">
      <p>There is no page at this address. The link may be old, or a letter is missing.</p>
      <Button component={Link} to="/">
        Go to the dashboard
      </Button>
    </MessagePage>
  )
}
