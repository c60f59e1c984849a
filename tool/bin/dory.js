#!/usr/bin/env node
import "../dist/dory.js";
