import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { MessagePage } from './MessagePage.tsx'

export function NotFoundPage() {
  return (
    <MessagePage title="Not found">
      <p>No page exists at this address. Check the link.</p>
      <Button component={Link} to="/">
        Go to the dashboard
      </Button>
    </MessagePage>
  )
}
