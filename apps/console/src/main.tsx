import { render } from 'preact';
import { App } from './app';
import './style/theme.css';
import './style/layout.css';
import './style/turn.css';
import 'uplot/dist/uPlot.min.css';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
