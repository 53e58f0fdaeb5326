import { MessagePage } from '../../app/MessagePage.tsx'

export function LoginPage() {
  return <MessagePage title="">{null}</MessagePage>
}
