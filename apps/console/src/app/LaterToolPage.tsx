import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { MessagePage } from './MessagePage.tsx'

/** Take control, VNC, web terminal: their addresses are reserved, the tools are still to come. */
export function LaterToolPage() {
  return (
    <MessagePage title="This tool is not here yet">
      <p>
        This version of Muster has no remote control. Until it has, a machine has a terminal, and commands and
        scripts work from the dashboard.
      </p>
      <Button component={Link} to="/">
        Go to the dashboard
      </Button>
    </MessagePage>
  )
}
