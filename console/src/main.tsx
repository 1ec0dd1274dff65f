import { CSPProvider } from '@base-ui/react/csp-provider';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app.tsx';

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no #root');
createRoot(root).render(
  <CSPProvider disableStyleElements>
    <Router base="/console">
      <App />
    </Router>
  </CSPProvider>,
);
