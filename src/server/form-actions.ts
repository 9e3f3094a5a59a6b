import {
  accountDataForm,
  accountDetailsForm,
  accountDevicesForm,
  accountPasswordForm,
  forgotPasswordForm,
  loginForm,
  registerForm,
  resetPasswordForm,
} from '#server/accounts/pages.ts'

import { contactForm } from '#server/contact/pages.ts'
import { findOrderForm, orderForm, payAgainForm } from '#server/orders/pages.ts'
import type { FormAction, FormPage } from '#server/platform/pages/posted-form.ts'
import type { PageName } from '#shared/routes.ts'

export const formActions: { [Name in FormPage]: FormAction<Name> } = {
  contact: contactForm,
  login: loginForm,
  register: registerForm,
  forgotPassword: forgotPasswordForm,
  resetPassword: resetPasswordForm,
  accountDetails: accountDetailsForm,
  accountPassword: accountPasswordForm,
  accountDevices: accountDevicesForm,
  accountData: accountDataForm,
  checkout: payAgainForm,
  findOrder: findOrderForm,
  order: orderForm,
}

export function isFormPage(name: PageName): name is FormPage {
  return Object.hasOwn(formActions, name)
}
